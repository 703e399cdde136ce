#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `toft export` writes, read by whom it is for:  export.py WHAT TOFT PROGRAM DOCS

WHAT is pprof (by go tool pprof), firefox (its tables keep to the format), tables (by DuckDB, with each query of
DOCS, which is docs/export.md), merging (runs of one build from two places are one), or mistakes. PROGRAM is built
from advise_target.c: its objects are known.
"""
import glob
import gzip
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

what, toft, program, docs = sys.argv[1:]
RUNS = 2
NODES, NAMES = 200 * 1000, 200  # that a run makes
NODE_BYTES, NAME_BYTES = 48, 32


def run(*words, **settings):
    done = subprocess.run(words, capture_output=True, text=True, check=False, **settings)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def left_out(reason):
    print("left out:", reason)
    sys.exit(77)


def record(path, of=program):
    run(toft, "record", "-o", path, "--", of)
    return path


def knows_functions(advice):
    """Built without elfutils, toft has no names of functions."""
    return "+0x" not in advice["advice"][0]["scope"]["function"]


def advise(folder, *recordings):
    path = os.path.join(folder, "advice.json")
    run(toft, "advise", "--no-replay", "--cpu", "0.1", "--json", path, *recordings)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def pprof(folder, recordings):
    """The counts that pprof shows are exact, and the inlined function has them."""
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if not go:
        left_out("there is no go here")
    link = os.path.join(folder, "link")
    os.symlink(program, link)
    recordings[0] = record(recordings[0], link)
    profile = os.path.join(folder, "heap.pb.gz")
    run(toft, "export", *recordings, "--pprof", profile)
    settings = {"cwd": folder, "env": {**os.environ, "PPROF_TMPDIR": folder, "GOFLAGS": "", "GOTOOLCHAIN": "local"}}

    def top(sample):
        text = run(go, "tool", "pprof", "-top", "-nodefraction=0", f"-sample_index={sample}", profile, **settings)
        rows = [line.split() for line in text.splitlines() if re.match(r" *-?[0-9]\S* ", line)]
        return {row[5]: (row[0], row[3]) for row in rows if len(row) > 5}

    raw = run(go, "tool", "pprof", "-raw", profile, **settings)
    assert "alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes" in raw, raw
    identity = re.search(r"Build ID: ([0-9a-f]{40})", run("readelf", "-n", program)).group(1)
    assert identity in raw.partition("Mappings")[2].splitlines()[1], raw  # first, though a link started it
    if not knows_functions(advise(folder, *recordings)):
        print("left out: functions, since toft was built without elfutils")
        return
    made = top("alloc_objects")
    assert made["make_node"][0] == made["make_node"][1] == str(RUNS * NODES), made
    assert made["name_of_request"][0] == str(RUNS * NAMES), made
    assert made["serve"] == ("0", str(RUNS * (NODES + NAMES))), made
    # The most lives when the last request has made its list and its name.
    assert top("inuse_objects")["make_node"][0] == str(RUNS * 1000), top("inuse_objects")
    assert top("inuse_objects")["name_of_request"][0] == str(RUNS * NAMES), top("inuse_objects")
    assert "make_node" not in {name for name, row in top("exit_objects").items() if row[0] != "0"}
    # `make_node` is inlined into `serve`: one place, two lines.
    assert re.search(r"make_node \S*advise_target.c:\d+:0 .*\n +serve \S*advise_target.c:\d+:0", raw), raw


def check_table(table):
    columns = {name: column for name, column in table.items() if isinstance(column, list)}
    assert columns and all(len(column) == table["length"] for column in columns.values()), table.keys()


def check_indices(column, most, least=0):
    assert all(i is None or least <= i < most for i in column)


def firefox(folder, recordings):
    """Columns have one length, indices lie in their tables, and what comes and goes is what was made."""
    path = os.path.join(folder, "heap.json")
    run(toft, "export", *recordings, "--firefox", path, "--pprof", os.path.join(folder, "p"))
    run(toft, "export", *recordings, "--firefox", path + ".gz")
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    with gzip.open(path + ".gz", "rt", encoding="utf-8") as file:
        assert json.load(file) == profile
    shared = profile["shared"]
    assert profile["meta"]["preprocessedProfileVersion"] == 61 and len(profile["threads"]) == RUNS
    for name in ("stackTable", "frameTable", "funcTable", "resourceTable", "nativeSymbols", "sources"):
        check_table(shared[name])
    texts = len(shared["stringArray"])
    stacks, frames, functions = shared["stackTable"], shared["frameTable"], shared["funcTable"]
    assert all(p is None or p < i for i, p in enumerate(stacks["prefix"]))
    check_indices(stacks["frame"], frames["length"])
    check_indices(frames["func"], functions["length"])
    check_indices(frames["nativeSymbol"], shared["nativeSymbols"]["length"])
    check_indices(functions["name"], texts)
    check_indices(functions["resource"], shared["resourceTable"]["length"], -1)
    check_indices(functions["source"], shared["sources"]["length"])
    check_indices(shared["resourceTable"]["lib"] + shared["nativeSymbols"]["libIndex"], len(profile["libs"]))
    check_indices(shared["resourceTable"]["name"] + shared["nativeSymbols"]["name"] + shared["sources"]["filename"],
                  texts)
    named = knows_functions(advise(folder, *recordings))
    for thread, counter in zip(profile["threads"], profile["counters"]):
        assert thread["pid"] == counter["pid"]
        table = thread["nativeAllocations"]
        for some in (table, thread["samples"], thread["markers"], counter["samples"]):
            check_table(some)
        assert table["time"] == sorted(table["time"])
        assert counter["samples"]["time"] == sorted(set(counter["samples"]["time"]))
        check_indices(table["stack"], stacks["length"])
        lives, made = {}, {}
        for weight, address, stack in zip(table["weight"], table["memoryAddress"], table["stack"]):
            if weight > 0:
                assert address not in lives
                lives[address] = weight
                name = shared["stringArray"][functions["name"][frames["func"][stacks["frame"][stack]]]]
                made[name] = made.get(name, 0) + weight
            else:
                assert lives.pop(address) == -weight and stack is None
        track = list(itertools.accumulate(counter["samples"]["count"]))
        assert track[-1] == sum(lives.values()) == 0
        assert min(track) == 0 < max(track) <= 1000 * NODE_BYTES + NAMES * NAME_BYTES, track
        if named:
            assert made["make_node"] == NODES * NODE_BYTES, made
            assert made["name_of_request"] == NAMES * NAME_BYTES, made
    assert len({thread["pid"] for thread in profile["threads"]}) == RUNS
    # The processes of one run begin one after the other, as they did; different runs begin together.
    assert {thread["registerTime"] for thread in profile["threads"]} == {0}
    path = os.path.join(folder, "shell")
    run(toft, "record", "-o", path, "--", "sh", "-c", '"$0" && "$0"; true', program)
    run(toft, "export", *glob.glob(path + "*"), "--firefox", path + ".json")
    with open(path + ".json", encoding="utf-8") as file:
        threads = sorted(json.load(file)["threads"], key=lambda thread: thread["registerTime"])
    assert len(threads) == 3 and threads[0]["registerTime"] == 0 and threads[0]["name"] == "sh", threads
    assert threads[1]["registerTime"] > 0
    assert threads[1]["nativeAllocations"]["time"][-1] <= threads[2]["nativeAllocations"]["time"][0]
    for name in "alone", "alone.2": # by its name, the second might be of the first one's run
        run(toft, "record", "-o", os.path.join(folder, name), "--", program)
    run(toft, "export", *glob.glob(os.path.join(folder, "alone*")), "--firefox", path + ".json")
    with open(path + ".json", encoding="utf-8") as file:
        assert {thread["registerTime"] for thread in json.load(file)["threads"]} == {0}
    if not named:
        print("left out: functions, since toft was built without elfutils")


def queries_of(path):
    with open(path, encoding="utf-8") as file:
        return re.findall(r"```sql\n(.*?)```", file.read(), flags=re.S)


def tables(folder, recordings):
    """DuckDB reads each file; objects and bytes are exact; the queries of the docs run and find what is there."""
    # Where scripts/setup-duckdb puts it.
    sys.path += glob.glob(os.path.join(os.path.dirname(docs), "../.cache/duckdb/lib/python*/site-packages"))
    try:
        import duckdb
    except ImportError:
        left_out("there is no DuckDB here (scripts/setup-duckdb)")
    # Each machine exports for itself; together they are one set of tables.
    for machine, path in zip("ab", recordings):
        run(toft, "export", path, "--parquet", os.path.join(folder, "tables", machine))
    db = duckdb.connect()

    def rows(query):
        return db.execute(query).fetchall()

    for name in ("recordings", "sites", "lifetimes", "stacks", "frames"):
        rows(f"CREATE VIEW {name} AS SELECT * FROM '{folder}/tables/*/{name}.parquet'")
    assert rows("SELECT count(*), count(DISTINCT recording), sum(objects) FROM recordings") == [
        (RUNS, RUNS, RUNS * (NODES + NAMES))]
    assert rows("SELECT count(*), sum(bytes), count(freed_ns), sum(weight) FROM lifetimes") == [
        (RUNS * (NODES + NAMES), RUNS * (NODES * NODE_BYTES + NAMES * NAME_BYTES), RUNS * (NODES + NAMES),
         RUNS * (NODES + NAMES))]
    # A site of both runs is one stack, and its totals are those of its objects.
    assert rows("SELECT objects, bytes, n FROM (SELECT stack, sum(objects) objects, sum(bytes) bytes, count(*) n"
                " FROM sites GROUP BY stack) ORDER BY objects DESC") == [
        (RUNS * NODES, RUNS * NODES * NODE_BYTES, RUNS), (RUNS * NAMES, RUNS * NAMES * NAME_BYTES, RUNS)]
    assert rows("SELECT count(*) FROM (SELECT recording, stack, count(*) n, sum(bytes) b FROM lifetimes GROUP BY ALL)"
                " JOIN sites USING (recording, stack) WHERE n = objects AND b = bytes") == [(2 * RUNS,)]
    assert rows("SELECT sum(objects_at_peak), sum(bytes_at_end) FROM sites") == [(RUNS * 1200, 0)]
    assert rows("SELECT count(*) FROM lifetimes WHERE freed_ns < made_ns OR freed_thread IS NULL") == [(0,)]
    # Every stack leads to the outermost one, and every address has its frames.
    assert rows("SELECT count(*) FROM stacks WHERE parent <> 0 AND parent NOT IN (SELECT stack FROM stacks)") == [(0,)]
    assert rows("SELECT count(*) FROM lifetimes WHERE stack NOT IN (SELECT stack FROM stacks)"
                " OR freed_stack NOT IN (SELECT stack FROM stacks)") == [(0,)]
    assert rows("SELECT count(*) FROM stacks ANTI JOIN frames USING (build_id, module, address)") == [(0,)]
    if knows_functions(advise(folder, *recordings)):
        assert rows("SELECT DISTINCT function FROM sites JOIN stacks USING (stack) JOIN frames ON"
                    " (frames.build_id, frames.address) = (stacks.build_id, stacks.address)"
                    " ORDER BY function") == [("make_node",), ("name_of_request",), ("serve",)]
        assert rows("SELECT function, inlined FROM frames WHERE function IN ('make_node', 'serve')"
                    " AND inlined = 1 GROUP BY ALL") == [("make_node", 1)]
    found = queries_of(docs)
    assert len(found) == 6, "docs/export.md has other queries"

    def answers(tables_of):
        for query in found:
            query = query.replace("tables/", f"{folder}/{tables_of}/")
            yield [rows(statement) for statement in query.split(";") if statement.strip()][-1]

    for query, answer in zip(found, answers("tables")):
        assert answer, query
    # Sampled, of two files that have no build id: objects count as many as they stand for, and each file's frames once.
    if not shutil.which("objcopy"):
        print("left out: files without a build id, since there is no objcopy here")
        return
    for machine in "ab":
        copy = os.path.join(folder, machine)
        run("objcopy", "--remove-section=.note.gnu.build-id", program, copy)
        run(toft, "record", "--sample", "4096", "-o", copy + ".toft", "--", copy)
        run(toft, "export", copy + ".toft", "--parquet", os.path.join(folder, "sampled", machine))
    _, by_stack, by_function, way, ends, _ = answers("sampled")
    made = {row[0]: row[2] for row in by_stack}
    for stack, objects, *_ in ends:
        assert abs(objects - made[stack]) <= 1 + made[stack] / 100, (ends, by_stack)
    assert sum(row[3] for row in by_function) == sum(made.values()), by_function
    assert len(way) == len(set(way)), way


def merging(folder, recordings):
    """Two places of one build, at other load addresses, are one program; names come from the place that is there."""
    with open(program, "rb") as file:
        assert file.read(18)[16] == 3, "not loaded at an address of its own in each run"
    places = [os.path.join(folder, machine, "program") for machine in "ab"]
    elsewhere = []
    for place in places:
        os.mkdir(os.path.dirname(place))
        shutil.copy(program, place)
        elsewhere.append(record(place + ".toft", place))
    os.remove(places[0])
    one, both = advise(folder, elsewhere[1]), advise(folder, *elsewhere)
    assert both["recordings"] == 2 and both["objects"] == 2 * (NODES + NAMES), both
    assert len(both["advice"]) == len(one["advice"]), both
    for first, second in zip(one["advice"], both["advice"]):
        assert second["scope"] == first["scope"] and second["objects"] == 2 * first["objects"], both
        assert [m["by"] for m in second["made"]] == [m["by"] for m in first["made"]], both
        assert len(second["escapes"]) == len(first["escapes"]) and second["escaping"] == 2 * first["escaping"], both
    # Other runs, other order, other processes: the same.
    assert advise(folder, *reversed(elsewhere))["advice"] == both["advice"]
    many = advise(folder, *recordings, *elsewhere)
    assert many["advice"][0]["objects"] == 4 * one["advice"][0]["objects"], many


def mistakes(folder, recordings):
    """What can't be read or written is told, and nothing is changed."""
    def fails(status, *words):
        done = subprocess.run([toft, "export", *words], capture_output=True, text=True, check=False)
        assert done.returncode == status and done.stderr.startswith("toft: "), (words, done)
        return done.stderr

    old = os.path.join(folder, "old")
    with open(old, "w", encoding="utf-8") as file:
        file.write("what was there")
    damaged = os.path.join(folder, "damaged.toft")
    with open(recordings[1], "rb") as file:
        content = bytearray(file.read())
    content[len(content) // 2] ^= 1
    with open(damaged, "wb") as file:
        file.write(content)
    new_folder = os.path.join(folder, "tables")
    for bad in (os.path.join(folder, "none.toft"), damaged, program):
        fails(1, recordings[0], bad, "--pprof", old, "--parquet", new_folder)
        fails(1, recordings[0], bad, "--firefox", old)
    assert fails(1, recordings[0], "--parquet", old).endswith("old: it is a file, and they take a folder\n")
    in_proc = fails(1, recordings[0], "--parquet", "/proc/none/such")
    assert in_proc == "toft: can't make the folder /proc/none/such: No such file or directory\n", in_proc
    fails(1, recordings[0], "--pprof", os.path.join(folder, "no", "such"))
    assert "are recordings of one run" in fails(2, *recordings, recordings[0], "--pprof", old)
    fails(2, recordings[0])
    fails(2)
    with open(old, encoding="utf-8") as file:
        assert file.read() == "what was there"
    assert not os.path.exists(new_folder)
    assert not [name for name in os.listdir(folder) if ".part" in name]
    # A program that was killed leaves a recording without its end: that is said, and exported.
    cut = os.path.join(folder, "cut.toft")
    with open(cut, "wb") as file:
        file.write(content[:0] + open(recordings[0], "rb").read()[:-8])
    done = subprocess.run([toft, "export", cut, "--pprof", old], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "the end is missing" in done.stderr, done


with tempfile.TemporaryDirectory() as where:
    each = {"pprof": pprof, "firefox": firefox, "tables": tables, "merging": merging, "mistakes": mistakes}[what]
    each(where, [record(os.path.join(where, name)) for name in ("one.toft", "two.toft")][:RUNS])
print(f"{what}: as it should be")
