# SPDX-License-Identifier: MIT
"""Runs of programs, for scripts that measure. Each exits where a run fails."""
import os
import subprocess
import sys


def cpu_seconds_and_mebibytes(words, preload=None):
    """Of a program, with what it starts and waits for."""
    environment = dict(os.environ, LD_PRELOAD=preload) if preload else None
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(words)} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def cpu_seconds(words):
    return cpu_seconds_and_mebibytes(words)[0]


def run_toft(toft, *arguments):
    done = subprocess.run([toft, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments)}: {done.stderr}")
