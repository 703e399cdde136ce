# SPDX-License-Identifier: MIT
"""The mallocs that are on this machine, for scripts that preload them."""
import glob
import os
import re
import subprocess
import sys
import tempfile

KNOWN = {
    "toft-malloc": ["libtoft-malloc.so"],
    "mimalloc": ["libmimalloc.so.3", "libmimalloc.so.2"],
    "jemalloc": ["libjemalloc.so.2"],
    "tcmalloc": ["libtcmalloc_minimal.so.4"],
}
SYSTEM = ["/usr/lib/*", "/usr/lib", "/usr/local/lib", "/usr/lib64"]

# LD_PRELOAD ends a path at a blank or a colon. A library whose path has one is preloaded through a link in here, which
# goes when the script ends.
links = tempfile.TemporaryDirectory(
    prefix="toft-links-", dir="/tmp" if set(" :") & set(tempfile.gettempdir()) else None)


def candidates(names, folders):
    return [found for name in names for folder in folders for found in glob.glob(os.path.join(folder, name))]


def find_preloads(toft_folder, definitions):
    """The mallocs that are here, by name, and those defined as NAME=FILE."""
    libraries = {}
    for name, files in KNOWN.items():
        folders = [glob.escape(toft_folder)] if name == "toft-malloc" else SYSTEM
        why = f"there is no {files[0]}"
        for file in candidates(files, folders):
            path, why = preloadable(file)
            if path:
                libraries[name] = path
                break
        if name not in libraries:
            print(f"{name} is left out: {why}", file=sys.stderr)
    for definition in definitions:
        name, _, file = definition.partition("=")
        if not name or not os.path.isfile(file):
            sys.exit(f"--preload {definition}: this needs a name, and a file that is there, as NAME=FILE")
        libraries[name], why = preloadable(file)
        if why:
            sys.exit(f"--preload {definition}: {why}")
    return libraries


def preloadable(file):
    """The path to preload it by, or None and why it can't be. The loader runs a program without a library that it can't
    load, and only says so."""
    path = os.path.realpath(file)
    if re.search("[ :]", path):
        link = os.path.join(links.name, f"{len(os.listdir(links.name))}.so")
        os.symlink(path, link)
        path = link
    said = subprocess.run(["/bin/true"], env=dict(os.environ, LD_PRELOAD=path), stderr=subprocess.PIPE, text=True)
    if said.stderr or said.returncode != 0:
        return None, f"{file} can't be preloaded: {said.stderr.strip() or 'true failed'}"
    return path, None
