#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads recordings as docs/recording-format.md describes them:  recording_format.py TOFT PROGRAM

It is written from that page alone, so that what the page says is what the recorder does. PROGRAM is record_target.
"""
import collections
import os
import shutil
import struct
import subprocess
import sys
import tempfile

FREE, MALLOC, CALLOC, ALIGNED, RESIZE = range(5)
WORD = (1 << 64) - 1


def decompressed(stored, size):
    if len(stored) == size:
        return stored
    plain = subprocess.run(["zstd", "-dcq"], input=stored, capture_output=True, check=True).stdout
    assert len(plain) == size
    return plain


def checksum(data):
    value = 0x9E3779B97F4A7C15 ^ len(data)
    for at in range(0, len(data), 8):
        value = (value ^ int.from_bytes(data[at : at + 8], "little")) * 0xFF51AFD7ED558CCD & WORD
        value ^= value >> 32
    return value


def rotated(address):
    return (address >> 4 | address << 60) & WORD


def unrotated(address):
    return (address << 4 | address >> 60) & WORD


class Column:
    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def number(self):
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value & WORD

    def difference(self):
        folded = self.number()
        return folded >> 1 if folded % 2 == 0 else -(folded >> 1) - 1

    def is_used_up(self):
        return self.at == len(self.data)


class Addresses:
    """What the addresses of a block are written by."""

    def __init__(self, column, capacity):
        self.column = column
        self.classes = min(capacity // 128, 64)
        self.lists = [[] for _ in range(self.classes)]
        self.touches = []  # address, class and maker
        self.newest = {}  # by maker, such a touch
        self.takes_of = collections.Counter()  # by site, the maker of what it took last: 0 at first
        self.last_written = 0  # rotated
        self.behind = self.behind_far = 0
        self.ways = collections.Counter()

    def goes(self, site):
        code = self.column.number()
        self.ways["goes", min(code, 2)] += 1
        if code == 0:
            self.touches.append(self.newest[self.takes_of[site]])
        elif code == 1:
            self.last_written = (self.last_written + self.column.difference()) & WORD
            self.touches.append((unrotated(self.last_written), None, None))
        else:
            self.touches.append(self.touches[-(code - 1)])
        address, of_class, maker = self.touches[-1]
        if of_class is not None:
            self.takes_of[site] = maker
            self.lists[of_class].append(address)
            del self.lists[of_class][:-64]
        return address

    def comes(self, site, size):
        room = max(32, (size + 8 + 15) // 16 * 16)
        of_class = room // 16 % self.classes
        code = self.column.number()
        if code == 0 or 2 <= code <= 64:
            address = self.lists[of_class].pop(-max(code, 1))
        elif code == 1:
            address = self.behind
        elif code == 65:
            address = unrotated((rotated(self.behind_far) + self.column.difference()) & WORD)
        else:
            address = self.touches[-(code - 65)][0]
        if code >= 65:
            self.behind_far = address + room
        self.ways["comes", min(code, 66) if code > 64 else min(code, 2)] += 1
        self.behind = address + room
        self.newest[site] = (address, of_class, site)
        self.touches.append(self.newest[site])
        return address


class Recording:
    def __init__(self, data):
        self.kinds = collections.Counter()  # of events
        self.blocks = collections.Counter()
        self.ways = collections.Counter()  # how addresses that come are written
        self.functions = collections.Counter()  # path and beginning, of each node
        self.threads = set()
        self.events = []  # time, what goes, what comes, size
        self.nodes = [0]  # their addresses; the root's first
        self.callees = collections.defaultdict(lambda: (0, 0))  # by their callers: module and beginning
        self.paths = [""]  # of the modules; the first is code that lies in no file
        assert data[:8] == b"toftrec\n" and struct.unpack("<I", data[8:12]) == (3,)
        at = 16
        while at != len(data):
            header = data[at : at + 48]
            mark, kind, length, records = struct.unpack("<4s3I", header[:16])
            of_payload, of_header = struct.unpack("<2Q", header[32:])
            payload = data[at + 48 : at + 48 + length]
            assert mark == b"TBLK" and of_header == checksum(header[:40]) and of_payload == checksum(payload)
            at += 48 + length
            self.blocks[kind] += 1
            if kind == 2:
                number, id_bytes, path_bytes, _zero = struct.unpack("<4I", payload[:16])
                assert number == len(self.paths)
                self.paths.append(payload[16 + id_bytes : 16 + id_bytes + path_bytes].decode())
            if kind == 3:
                self.read_stacks(records, payload)
            if kind == 5:
                self.read_events(records, payload)

    def read_stacks(self, records, payload):
        first, plain = struct.unpack("<2I", payload[:8])
        assert first == len(self.nodes)
        column = Column(decompressed(payload[8:], plain))
        for _ in range(records):
            distance = column.number()
            assert 0 < distance <= len(self.nodes)
            caller = self.nodes[-distance] % (1 << 32) if distance < 1 << 20 else 0
            place = (caller * 0x9E3779B97F4A7C15 & WORD) >> 32 & 0x7FFF
            module, begin = self.callees[place]
            code = column.number()
            if code != 0:
                module, begin = code - 1, (begin + column.difference()) & WORD
            self.callees[place] = module, begin
            self.nodes.append((begin + column.number()) & WORD)
            self.functions[self.paths[module], begin] += 1
        assert column.is_used_up()

    def read_events(self, records, payload):
        thread, shift, capacity, _zero, time, last_time, asked = struct.unpack("<4I3Q", payload[:40])
        counts = struct.unpack("<8I", payload[40:72])
        lengths = struct.unpack("<10I", payload[72:112])
        columns, at = [], 112
        for plain, stored in zip(lengths[:5], lengths[5:]):
            columns.append(Column(decompressed(payload[at : at + stored], plain)))
            at += stored
        assert at == len(payload)
        kinds, times, in_addresses, sizes, stacks = columns
        addresses = Addresses(in_addresses, capacity)
        guesses = [(0, 0)] * (capacity // 16)
        node, seen, bytes_seen = 0, [0] * 8, 0
        for _ in range(records):
            time += times.number()
            node += stacks.difference()
            assert 0 <= node < len(self.nodes)
            site = node % len(guesses)
            kind, size = guesses[site]
            kind = (kind + kinds.byte()) % 5
            gone = addresses.goes(site) if kind in (FREE, RESIZE) else None
            come = None
            if kind != FREE:
                written = sizes.number()
                size = written - 1 if written else size
                if kind == ALIGNED:
                    assert sizes.number() < 64
                come = addresses.comes(site, size)
                bytes_seen += size
            guesses[site] = kind, size
            seen[kind] += 1
            assert gone != 0 and come != 0
            self.events.append((time << shift, gone, come, size))
        assert all(column.is_used_up() for column in columns)
        assert time == last_time and tuple(seen) == counts and bytes_seen == asked
        self.threads.add(thread)
        self.ways += addresses.ways
        self.kinds += collections.Counter(dict(enumerate(seen)))


def recorded(folder, *words):
    path = os.path.join(folder, "one.toft")
    done = subprocess.run([toft, "record", "-o", path, "--", program, *words], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    with open(path, "rb") as file:
        return Recording(file.read())


def check_lives(of):
    """In the order of one thread's events, no address is in two objects, and none goes that hasn't come."""
    live = set()
    for _time, gone, come, _size in of.events:
        if gone is not None:
            live.remove(gone)
        if come is not None:
            assert come not in live
            live.add(come)


toft, program = sys.argv[1:]
if not shutil.which("zstd"):
    print("left out: the command zstd isn't there")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    one = recorded(folder, "sizes", "200000")
    check_lives(one)
    assert len(one.threads) == 1, one.threads
    assert all(one.kinds[kind] > 1000 for kind in range(5)), one.kinds
    ways = {("goes", code) for code in (0, 1, 2)} | {("comes", code) for code in (0, 1, 2, 65, 66)}
    assert ways <= one.ways.keys(), one.ways
    named = subprocess.run(["nm", "--defined-only", program], capture_output=True, text=True, check=True).stdout
    begins = {int(line.split()[0], 16): line.split()[2] for line in named.splitlines() if len(line.split()) == 3}
    found = {begins.get(begin) for path, begin in one.functions if path == os.path.realpath(program)}
    assert "main" in found, (found, one.functions)
    several = recorded(folder, "moves", "4")
    assert len(several.threads) >= 5 and several.kinds[RESIZE] > 1000, (several.threads, several.kinds)
    for of in one, several:
        assert of.blocks[1] == of.blocks[6] == 1 and len(of.nodes) > 1, of.blocks
        assert sum(of.kinds.values()) == len(of.events)
    net = collections.Counter(come for _time, _gone, come, _size in several.events if come is not None)
    net.subtract(gone for _time, gone, _come, _size in several.events if gone is not None)
    assert set(net.values()) <= {0, 1}, "an address came and went in different numbers"
