#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Advice for a real program whose right advice is known:  advise.py TOFT SCHEMA PROGRAM SOURCE

It is recorded, twice; its functions and lines are found, the inlined ones too; the file keeps to its schema.
"""
import copy
import json
import os
import shlex
import subprocess
import sys
import tempfile

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("left out: there is no python3-jsonschema here")
    sys.exit(77)

toft, schema_path, program, source = sys.argv[1:]
with open(schema_path, encoding="utf-8") as file:
    schema = json.load(file)
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
with open(source, encoding="utf-8") as file:
    lines = file.read().splitlines()


def run(*words):
    return subprocess.run([toft, *words], capture_output=True, text=True, check=False)


def line_with(text):
    return next(i for i, line in enumerate(lines, 1) if text in line)


def refuses(document, change):
    broken = copy.deepcopy(document)
    change(broken)
    assert not validator.is_valid(broken), "the schema lets pass what it shouldn't"


with tempfile.TemporaryDirectory() as folder:
    recordings = [os.path.join(folder, name) for name in ("one.toft", "two.toft")]
    for path in recordings:
        made = run("record", "-o", path, "--", program)
        assert made.returncode == 0, made.stderr
    json_path = os.path.join(folder, "advice.json")
    # The seconds are made up, so that the gain doesn't depend on this machine.
    said = run("advise", "--cpu", "0.1", "--no-replay", "--json", json_path, *recordings)
    assert said.returncode == 0, said.stderr
    with open(json_path, encoding="utf-8") as file:
        document = json.load(file)
    validator.validate(document)
    refuses(document, lambda d: d.pop("leave_it"))
    refuses(document, lambda d: d.update(schema_version=2))
    refuses(document, lambda d: d["advice"][0].update(what="magic"))
    refuses(document, lambda d: d["advice"][0]["scope"].pop("line"))

    assert document["recordings"] == 2 and not document["leave_it"], document
    best = document["advice"][0]
    assert best["what"] == "arena" and best["objects"] == 2 * 200 * 1000, best
    assert best["lives"] == 400 and best["most_in_a_life"] == 1000, best
    assert best["escaping"] == 400, best
    assert len(best["freed_by"]) == 1 and best["more_freeing"] == 0, best
    assert 0 < best["cpu_percent"]["low"] <= best["cpu_percent"]["high"] < 95, best
    for words in ("1. An arena in ", "400,000 objects", "toft_arena arena = TOFT_ARENA_INIT;"):
        assert words in said.stdout, said.stdout

    assert document["mallocs"] == [] and document["replay_left_out"] and best["replayed"] is None, document

    # With replays: what each malloc gains alone, and the change made; also of the larger of two recordings.
    said = run("advise", "--cpu", "0.1", "--replay-time", "60", "--json", json_path, *recordings)
    assert said.returncode == 0, said.stderr
    with open(json_path, encoding="utf-8") as file:
        replayed = json.load(file)
    validator.validate(replayed)
    refuses(replayed, lambda d: d["mallocs"][0].pop("cpu_percent"))
    assert not any(m["measured"] for m in replayed["mallocs"]), replayed["mallocs"]
    names = [m["name"] for m in replayed["mallocs"]]
    assert "toft-malloc" in names and "glibc" not in names, names
    gains = [m["cpu_percent"] for m in replayed["mallocs"]]
    order = [(gain["low"] > 0, gain["low"] + gain["high"]) for gain in gains]
    assert order == sorted(order, reverse=True), order
    first = replayed["mallocs"][0]
    assert first["cpu_percent"]["low"] > 0 or "No other malloc alone gains CPU time for sure." in said.stdout, said.stdout
    way = f"Running it with {first['setting']}" if first["setting"] else f"Linking {first['name']}"
    assert first["cpu_percent"]["low"] <= 0 or f"{way} alone " in " ".join(said.stdout.split()), said.stdout
    change = next(a for a in replayed["advice"] if a["what"] == "arena")["replayed"]
    assert change["frees_dropped"]["high"] > change["frees_kept"]["low"], change  # the ranges meet at least
    assert change["frees_dropped"]["high"] > 0, change
    assert change["frees_hooked"]["low"] < change["frees_kept"]["high"], change
    tight = run("advise", "--replay-time", "1", recordings[0])
    assert tight.returncode == 0, tight.stderr
    assert "replaying for about " in tight.stderr and "--no-replay" in tight.stderr, tight.stderr

    # The program after -- is run for its CPU time. It says nothing of several runs, nor beside --cpu.
    said = run("advise", "--no-replay", "--json", json_path, recordings[0], "--", program)
    assert said.returncode == 0, said.stderr
    with open(json_path, encoding="utf-8") as file:
        seconds = json.load(file)["processor_seconds"]
    assert 0 < seconds["low"] == seconds["high"] < 10, seconds
    assert f"with --cpu {seconds['high']:g}." in " ".join(said.stdout.split()), said.stdout
    assert run("advise", "--no-replay", *recordings, "--", program).returncode == 2

    # A short one is run under each malloc too, and one under which it fails is left out, by name. A program that
    # fails beside itself is run in turn.
    fails = ["sh", "-c", f"case $LD_PRELOAD in *toft-malloc*) exit 3;; esac; {shlex.quote(program)}"]
    lock = shlex.quote(os.path.join(folder, "lock"))
    alone = ["sh", "-c", f"mkdir {lock} || exit 4; sleep .01; {shlex.quote(program)}; rmdir {lock}"]
    for words, is_left_out in (([program], False), (fails, True), (alone, False)):
        said = run("advise", "--replay-time", "20", "--json", json_path, recordings[0], "--", *words)
        assert said.returncode == 0, said.stderr
        with open(json_path, encoding="utf-8") as file:
            tried = json.load(file)
        validator.validate(tried)
        assert all(m["measured"] for m in tried["mallocs"]), tried["mallocs"]
        assert is_left_out != ("toft-malloc" in [m["name"] for m in tried["mallocs"]]), tried["mallocs"]
        assert is_left_out == ("Under toft-malloc the program " in said.stdout), said.stdout
        assert "The program was run under each malloc. " in " ".join(said.stdout.split()), said.stdout
        assert next(a for a in tried["advice"] if a["what"] == "arena")["replayed"], said.stdout
    assert run("advise", "--no-replay", "--cpu", "1", recordings[0], "--", program).returncode == 2
    sampled = os.path.join(folder, "sampled.toft")
    assert run("record", "--sample", "65536", "-o", sampled, "--", program).returncode == 0
    said = run("advise", "--json", json_path, sampled, "--", program)
    assert said.returncode == 0, said.stderr
    with open(json_path, encoding="utf-8") as file:
        assert json.load(file)["mallocs"] == [], said.stdout
    failing = run("advise", "--no-replay", recordings[0], "--", "false")
    assert failing.returncode == 2 and "false" in failing.stderr, failing.stderr
    assert "--status N" in failing.stderr, failing.stderr
    verified = run("verify", sampled, "--advice", "1", "--", program)
    assert verified.returncode == 2 and "is sampled" in " ".join(verified.stderr.split()), verified.stderr

    assert "is that the same work?" not in said.stdout, said.stdout
    other = run("advise", "--no-replay", "--cpu", "500", recordings[0])
    assert "is that the same work?" in " ".join(other.stdout.split()), other.stdout
    assert run("advise", "--no-replay", "--cpu", "1e300", recordings[0]).returncode == 2
    assert run("advise", os.path.join(folder, "none.toft")).returncode == 1
    assert run("advise", json_path).returncode == 1
    assert run("advise").returncode == 2

    if "+0x" in best["scope"]["function"]:
        print("left out: functions and lines, since toft was built without elfutils")
        sys.exit(0)
    placed = run("replay", "--repetitions", "3", "--allocators", "glibc", "--arena", "make_node", recordings[0])
    assert placed.returncode == 0, placed.stderr
    assert "Placed: 200,000 objects" in " ".join(placed.stdout.split()), placed.stdout
    assert "isn't freed" not in placed.stdout and "--max-time" not in placed.stderr, placed.stdout

    # One name is never freed: the arena of all names isn't reset after it. And three processes for each row take
    # longer than the time allows.
    leaking = os.path.join(folder, "leaking.toft")
    assert run("record", "-o", leaking, "--", program, "1").returncode == 0
    placed = run("replay", "--max-time", "0", "--allocators", "glibc", "--arena", "name_of_request", leaking)
    assert placed.returncode == 0, placed.stderr
    words = " ".join(placed.stdout.split())
    assert "1 placed object isn't freed in this recording" in words, placed.stdout
    assert f"name_of_request (advise_target.c:{line_with('char *name = malloc(32)')}), #" in words, placed.stdout
    assert "3 processes for each of " in placed.stderr and "although --max-time is less" in placed.stderr, placed.stderr

    unknown = run("replay", "--arena", "no_such_function", recordings[0])
    assert unknown.returncode == 2 and "no_such_function" in unknown.stderr, unknown.stderr
    assert best["scope"]["function"] == "serve", best["scope"]
    assert best["end"]["line"] == line_with("where they all die"), best["end"]
    maker = best["made"][0]["by"]
    assert maker["function"] == "make_node", maker
    assert maker["file"].endswith("advise_target.c") and maker["line"] == line_with("malloc(sizeof *made)"), maker
    escape = best["escapes"][0]
    assert escape["made"]["by"]["function"] == "name_of_request" and escape["freed_by"]["function"] == "main", escape

    # Compilers may leave out the table of which unit an address is in; clang does.
    without = os.path.join(folder, "without_table")
    subprocess.run(["objcopy", "--remove-section=.debug_aranges", program, without], check=True)
    assert run("record", "-o", recordings[0], "--", without).returncode == 0
    said = run("advise", "--cpu", "0.1", "--no-replay", "--json", json_path, recordings[0])
    assert said.returncode == 0, said.stderr
    with open(json_path, encoding="utf-8") as file:
        assert json.load(file)["advice"][0]["made"][0]["by"] == maker, said.stdout

    # Of several copies of a program, the one with debug information tells the lines.
    stripped = os.path.join(folder, "stripped")
    subprocess.run(["objcopy", "--strip-debug", program, stripped], check=True)
    of_stripped = os.path.join(folder, "stripped.toft")
    assert run("record", "-o", of_stripped, "--", stripped).returncode == 0
    said = run("advise", "--cpu", "0.2", "--no-replay", "--json", json_path, of_stripped, recordings[1])
    assert said.returncode == 0 and "different programs" not in " ".join(said.stdout.split()), said.stdout
    with open(json_path, encoding="utf-8") as file:
        assert json.load(file)["advice"][0]["made"][0]["by"] == maker, said.stdout
print("a real program's advice is right, in words and in its file")
