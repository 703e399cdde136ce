# SPDX-License-Identifier: MIT
"""The mallocs that are on this machine, for scripts that preload them."""
import glob
import os
import subprocess
import sys

KNOWN = {
    "toft-malloc": ["libtoft-malloc.so"],
    "mimalloc": ["libmimalloc.so.3", "libmimalloc.so.2"],
    "jemalloc": ["libjemalloc.so.2"],
    "tcmalloc": ["libtcmalloc_minimal.so.4"],
}
SYSTEM = ["/usr/lib/*", "/usr/lib", "/usr/local/lib", "/usr/lib64"]


def find_library(names, folders):
    for name in names:
        for folder in folders:
            for found in glob.glob(os.path.join(folder, name)):
                return os.path.realpath(found)
    return None


def find_preloads(toft_folder, definitions):
    """The mallocs that are here, by name, and those defined as NAME=FILE."""
    libraries = {}
    for name, files in KNOWN.items():
        found = find_library(files, [toft_folder] if name == "toft-malloc" else SYSTEM)
        if found:
            libraries[name] = found
        else:
            print(f"{name} is left out: there is no {files[0]}", file=sys.stderr)
    for definition in definitions:
        name, _, file = definition.partition("=")
        libraries[name] = preloadable(name, file)
    return libraries


def preloadable(name, file):
    """The file's path. The loader runs a program without a library that it can't load, and only says so."""
    if not name or not os.path.isfile(file):
        sys.exit(f"--preload {name}={file}: this needs a name, and a file that is there, as NAME=FILE")
    path = os.path.realpath(file)
    said = subprocess.run(["/bin/true"], env=dict(os.environ, LD_PRELOAD=path), stderr=subprocess.PIPE, text=True)
    if said.stderr or said.returncode != 0:
        sys.exit(f"--preload {name}={file}: it can't be preloaded: {said.stderr.strip() or 'true failed'}")
    return path
