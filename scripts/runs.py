# SPDX-License-Identifier: MIT
"""Runs of programs, for scripts that measure. Each exits where a run fails."""
import os
import subprocess
import sys

from touch_memory import touch_memory


def start(words, preload=None):
    environment = dict(os.environ, LD_PRELOAD=preload) if preload else None
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)


def end(process):
    """The CPU seconds and the peak MiB of a program, with what it starts and waits for."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(process.args)} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def cpu_seconds(words):
    return end(start(words))[0]


def side_by_side(programs):
    """The CPU seconds and the peak MiB of each of the programs, which are pairs of words and a library to preload.
    They run at once on one CPU, which each of them has for some milliseconds, again and again: a machine that is slow
    for longer than that slows all of them."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        return [end(process) for process in [start(*program) for program in programs]]
    finally:
        os.sched_setaffinity(0, allowed)


def ratios_of_pairs(first, others, rounds):
    """For each of the others, the CPU time in units of the first one's, in each round. No more than two run side by
    side, because some mallocs give memory back by the clock, which goes on while another program has the CPU. Each of
    the two is started first in every other round."""
    mebibytes = max(peak for program in [first, *others] for _, peak in side_by_side([program]))
    ratios = [[] for _ in others]
    for number in range(rounds):
        for program, found in zip(others, ratios):
            touch_memory(3 * mebibytes + 16)
            pair = [first, program] if number % 2 == 0 else [program, first]
            (a, _), (b, _) = side_by_side(pair)
            found.append(b / a if number % 2 == 0 else a / b)
    return ratios


def run_toft(toft, *arguments):
    done = subprocess.run([toft, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments)}: {done.stderr}")
