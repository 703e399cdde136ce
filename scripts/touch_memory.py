# SPDX-License-Identifier: MIT
"""For scripts that measure one run after another."""
import contextlib
import ctypes
import mmap
import os
import sys


def touch_memory(mebibytes):
    """Before a run: a child writes to so much memory and gives it back when it ends, in huge pages, which a malloc
    may want. A virtual machine's host takes what lies free for some seconds, and the run would pay for it."""
    child = os.fork()
    if child == 0:
        try:
            memory = mmap.mmap(-1, int(mebibytes) << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            with contextlib.suppress(OSError):  # a kernel without them
                memory.madvise(mmap.MADV_HUGEPAGE)
            ctypes.memset(ctypes.addressof(ctypes.c_char.from_buffer(memory)), 1, len(memory))
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    if status != 0:
        sys.exit(f"{sys.argv[0]}: can't touch {mebibytes:.0f} MiB before a run")
