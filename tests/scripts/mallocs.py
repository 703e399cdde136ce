#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/mallocs.py:  mallocs.py PROJECT_FOLDER"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(sys.argv[1], "scripts"))
with tempfile.TemporaryDirectory(prefix="a blank ") as tempfile.tempdir:
    import mallocs  # noqa: E402
tempfile.tempdir = None


def is_preloaded(library):
    done = subprocess.run(["cat", "/proc/self/maps"], env=os.environ | {"LD_PRELOAD": library}, capture_output=True)
    return done.stderr == b"" and os.path.realpath(library).encode() in done.stdout


with tempfile.TemporaryDirectory(prefix="a blank:a colon ") as work:
    good, foreign = os.path.join(work, "good"), os.path.join(work, "foreign")
    for folder in good, foreign:
        os.mkdir(folder)
    for name in "libtoft-malloc.so", "libjemalloc.so.2":
        subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", "-o", os.path.join(good, name)], check=True)
    for name in "libjemalloc.so.2", "libmimalloc.so.2":
        with open(os.path.join(foreign, name), "w") as file:
            file.write("what this machine's loader can't load")
    mallocs.SYSTEM = [foreign, good]
    found = mallocs.find_preloads(good, ["mine=" + os.path.join(good, "libjemalloc.so.2")])
    if set(found) != {"toft-malloc", "jemalloc", "mine"}:
        sys.exit(f"mallocs.py: the mallocs that are found are {', '.join(found)}")
    for name, library in found.items():
        if not is_preloaded(library):
            sys.exit(f"mallocs.py: {name} isn't preloaded by {library}")
