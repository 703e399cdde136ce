# SPDX-License-Identifier: MIT
"""Runs of programs, for scripts that measure. Each exits where a run fails."""
import contextlib
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import typing

from touch_memory import touch_memory


class Program(typing.NamedTuple):
    words: list
    library: str = ""  # to preload; empty: none
    folder: str = "."  # to run in
    variables: dict = {}  # of the environment, beside this script's own


class Used(typing.NamedTuple):
    """By a program, with what it starts and waits for."""
    cpu_seconds: float
    seconds: float
    mebibytes: float  # at the peak; what this script has is counted too, until the program takes its place


class Run:
    def __init__(self, program):
        self.program = program
        environment = os.environ | program.variables
        environment.pop("LD_PRELOAD", None)
        if program.library:
            environment["LD_PRELOAD"] = program.library
        self.said = tempfile.TemporaryFile("w+", errors="replace")
        self.begun = time.monotonic()
        self.process = subprocess.Popen(program.words, cwd=program.folder, env=environment,
                                        stdout=subprocess.DEVNULL, stderr=self.said)

    def end(self):
        _, status, usage = os.wait4(self.process.pid, 0)
        seconds = time.monotonic() - self.begun
        self.process.returncode = os.waitstatus_to_exitcode(status)
        with self.said:
            if self.process.returncode != 0:
                self.said.seek(0)
                sys.exit(f"{' '.join(self.program.words)} ended with {self.process.returncode}, under "
                         f"{self.program.library or 'its own malloc'}\n{self.said.read()}")
        return Used(usage.ru_utime + usage.ru_stime, seconds, usage.ru_maxrss / 1024)


def run(program):
    return Run(program).end()


def cpu_seconds(words):
    return run(Program(words)).cpu_seconds


def in_turn(names, turn):
    """Each time another one is the first, and every other time they go backwards."""
    names = [*names[turn % len(names):], *names[:turn % len(names)]]
    return names if turn % 2 == 0 else names[::-1]


def peak_of(program, peaks):
    """In MiB. peaks: of each program's words so far; where they aren't there, the program is run for it."""
    words = tuple(program.words)
    if words not in peaks:
        peaks[words] = run(program._replace(library="")).mebibytes
    return peaks[words]


def run_touched(program, peaks):
    """run(), on memory that was just touched."""
    touch_memory(1.5 * peak_of(program, peaks) + 16)
    used = run(program)
    peaks[tuple(program.words)] = max(peak_of(program, peaks), used.mebibytes)
    return used


def side_by_side(programs):
    """What each of the programs used. They run at once on one CPU, which each of them has for some milliseconds, again
    and again: a machine that is slow for longer than that slows all of them. Their elapsed times say nothing."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    running = []
    try:
        running += [Run(program) for program in programs]
        return [one.end() for one in running]
    finally:
        for one in running:
            one.process.kill()  # nothing, unless another has failed
        os.sched_setaffinity(0, allowed)


def pair(first, other, turn, peaks):
    """What the two used, side by side, on memory that was just touched. Each of them is started first in every other
    turn. No more than two run at once, because some mallocs give memory back by the clock, which goes on while another
    program has the CPU."""
    touch_memory(1.5 * (peak_of(first, peaks) + peak_of(other, peaks)) + 16)
    if turn % 2 == 0:
        return side_by_side([first, other])
    return side_by_side([other, first])[::-1]


def round_of_pairs(first, others, turn, peaks):
    """For each of the others, the CPU time in units of the first one's."""
    pairs = [pair(first, other, turn, peaks) for other in others]
    return [its.cpu_seconds / own.cpu_seconds for own, its in pairs]


def ratios_of_pairs(first, others, rounds):
    """The same in each round."""
    peaks = {}
    return list(zip(*(round_of_pairs(first, others, turn, peaks) for turn in range(rounds))))


def quartiles(values):
    """The first one, the median, and the third one; of a single value, that value."""
    return statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3


def session_of(process):
    """The numbers of the processes in the session that it leads, its own one among them."""
    found = []
    for number in map(int, filter(str.isdecimal, os.listdir("/proc"))):
        with contextlib.suppress(ProcessLookupError):  # it has ended
            if os.getsid(number) == process.pid:
                found.append(number)
    return found


@contextlib.contextmanager
def stopped(process):
    """The process, which leads a session and alone starts others in it, and these do nothing meanwhile."""
    def send(signal_number, numbers):
        for number in numbers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal_number)

    send(signal.SIGSTOP, [process.pid])  # what it has started is all there is then
    numbers = session_of(process)
    send(signal.SIGSTOP, numbers)
    try:
        yield
    finally:
        send(signal.SIGCONT, numbers)


def run_toft(toft, *arguments):
    done = subprocess.run([toft, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments)}: {done.stderr}")
