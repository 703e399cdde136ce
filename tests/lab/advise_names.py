#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Advice names functions where debug information says less of them:  advise_names.py TOFT WHAT PROGRAM SOURCE

WHAT is "local types", of local_types_target.cpp, or "nameless", of nameless_target.c.
"""
import json
import os
import subprocess
import sys
import tempfile

toft, what, program, source = sys.argv[1:]


def run(*words):
    done = subprocess.run([toft, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


with tempfile.TemporaryDirectory() as folder:
    recording, json_path = os.path.join(folder, "one.toft"), os.path.join(folder, "advice.json")
    run("record", "-o", recording, "--", program)
    # The seconds are made up, so that all that can gain anything is told.
    said = run("advise", "--cpu", "0.002", "--no-replay", "--json", json_path, recording)
    with open(json_path, encoding="utf-8") as file:
        advice = json.load(file)["advice"]

if any("+0x" in a["scope"]["function"] for a in advice):
    print("left out: toft was built without elfutils")
    sys.exit(77)

arenas = {a["scope"]["function"].rpartition("::")[2]: a for a in advice if a["what"] in ("arena", "inline_buffer")}

if what == "local types":
    makers = [m["by"] for a in advice for m in a["made"]]
    assert makers and all(by["file"].endswith(os.path.basename(source)) for by in makers), said
    assert set(arenas) == {"serve", "sort", "call"}, said
    assert arenas["serve"]["objects"] >= 500 * (40 + 1) and arenas["sort"]["objects"] >= 500 * 4, said
    for text in ("toft::vector<T> vector(arena)", "toft::map<K, T> map(arena)"):
        assert text in arenas["serve"]["sketch"], said

if what == "nameless":
    assert all(m["by"]["function"] for a in advice for m in a["made"]), said
    assert set(arenas) == {"handle"} and arenas["handle"]["objects"] == 1000 * 40, said
    assert {m["by"]["function"] for m in arenas["handle"]["made"]} == {"copy"}, said
print("functions have the names of the text:", what)
