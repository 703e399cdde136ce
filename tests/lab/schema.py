#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every kind of result file keeps to the written schema:  schema.py TOFT SCHEMA"""
import copy
import json
import os
import subprocess
import sys
import tempfile

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("left out: there is no python3-jsonschema here")
    sys.exit(77)

toft, schema_path = sys.argv[1:]
with open(schema_path, encoding="utf-8") as file:
    schema = json.load(file)
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)


def result_of(folder, name, arguments):
    path = os.path.join(folder, name)
    subprocess.run([toft, "bench", *arguments, "--json", path],
                   env=os.environ | {"TMPDIR": folder}, check=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(path, encoding="utf-8") as file:
        return json.load(file), path


def refuses(result, change):
    broken = copy.deepcopy(result)
    change(broken)
    assert not validator.is_valid(broken), "the schema lets pass what it shouldn't"


with tempfile.TemporaryDirectory() as folder:
    sound, path = result_of(folder, "tree.json", ["tree", "--size", "5"])
    failing, _ = result_of(folder, "planted.json",
                           ["planted", "--filter", "planted/planted/", "--size", "1000"])
    compared, _ = result_of(folder, "compared.json", ["tree", "--size", "5", "--compare", path])
    for result in (sound, failing, compared):
        validator.validate(result)
    assert compared["comparison"]["figures"]
    assert {row["verdict"] for row in failing["suites"][0]["rows"]} >= {"elided", "failed"}
    refuses(sound, lambda j: j.pop("machine"))
    refuses(sound, lambda j: j.update(schema_version=1))
    refuses(sound, lambda j: j.update(unheard_of=1))
    refuses(sound, lambda j: j["suites"][0]["rows"][0].update(verdict="good"))
    refuses(sound, lambda j: j["suites"][0]["rows"][0]["figures"][0].pop("cpu_ns"))
print("3 result files keep to the schema, and 5 broken ones don't")
