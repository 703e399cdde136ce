#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions of at most 70 lines, and no name that nothing uses, as universal-ctags sees C, C++ and Go:

    code.py SOURCE_DIR

A name is used where it stands anywhere else than where it is declared or defined. So a function, macro,
enumerator, type or variable that this finds is dead code. Names that only others use (the standard library's
customisation points, the loader, the linker) are in used_by_others.txt.
"""
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LONGEST = 70
DECLARING = {
    "function", "prototype", "macro", "enumerator", "typedef", "struct", "enum", "union", "class", "variable",
    "externvar", "using", "alias", "concept",  # C and C++
    "func", "const", "type", "interface", "var",  # Go
}
# What is called without its name: operators and destructors, and what the go command runs.
EXEMPT = r"__anon|operator\b|~|_$|(Test|Example|Benchmark|Fuzz)([A-Z_]|$)"
PLANTED_HEADER = "int planted_dead(void);\n"
PLANTED_DEAD = "int planted_dead(void) { return planted_live; }\n"
PLANTED_LONG = "int planted_long(void) {\n" + "    planted_dead_end();\n" * LONGEST + "}\nint a = planted_long();\n"


def tags_of(root, files):
    out = subprocess.run(
        ["ctags", "--output-format=json", "--fields=+neK", "--kinds-C=+px", "--kinds-C++=+px", "--languages=C,C++,Go",
         "--map-C++=+.h", "-I", "TOFT_API,TOFT_NOINLINE,TOFT_COLD,TOFT_ALWAYS_INLINE,TOFT_MEMBER_INLINE,"
         "TOFT_LIFETIMEBOUND,TOFT_NODISCARD,TOFT_AT_LOAD,TOFT_EXTERN_C_BEGIN,TOFT_EXTERN_C_END,"
         "TOFT_FILLED_BY_C_BEGIN,TOFT_FILLED_BY_C_END,TOFT_ZEROED,TOFT_ALIGNED_BY+,TOFT_PRINTF_LIKE+,"
         "TOFT_POOL_TLS_MODEL",
         "-f", "-", "-L", "-"],
        input="\n".join(files), cwd=root, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in out.stdout.splitlines()]


def words_of(text):
    """The words of the code: comments don't use a name, and strings only where they are code of a test."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    return re.findall(r"[A-Za-z_]\w*", text)


def complaints(root, files, others, exempt):
    """others: files that may use names, but whose own names aren't looked at."""
    found = []
    tags = [tag for tag in tags_of(root, files) if not re.match(EXEMPT, tag["name"])]
    for tag in tags:
        if tag["kind"] not in ("function", "func") or "end" not in tag or re.fullmatch("[A-Z_]+", tag["name"]):
            continue
        length = tag["end"] - tag["line"] + 1
        if length > LONGEST:
            found.append(f"{tag['path']}:{tag['line']}: {tag['name']} has {length} lines, more than {LONGEST}")
    stands = collections.Counter()
    for file in files + others:
        stands.update(words_of((root / file).read_text(errors="replace")))
    declared = collections.Counter()
    first = {}
    for tag in tags:
        # In a source file, ctags takes `int a = f();` for a prototype of f.
        if tag["kind"] in DECLARING and (tag["kind"] != "prototype" or tag["path"].endswith((".h", ".hpp"))):
            declared[tag["name"]] += 1
            first.setdefault(tag["name"], tag)
    for name, tag in first.items():
        if stands[name] <= declared[name] and name not in exempt:
            found.append(f"{tag['path']}:{tag['line']}: nothing uses {name}")
    return found


def finds_what_is_planted():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "dead.h").write_text(PLANTED_HEADER)
        (root / "dead.c").write_text(PLANTED_DEAD)
        (root / "long.c").write_text(PLANTED_LONG)
        found = complaints(root, ["dead.h", "dead.c", "long.c"], [], {"a"})
    return len(found) == 2 and "planted_long has" in found[0] and "nothing uses planted_dead" in found[1]


def main():
    root = pathlib.Path(sys.argv[1])
    if shutil.which("ctags") is None or "Universal" not in subprocess.run(
            ["ctags", "--version"], capture_output=True, text=True).stdout:
        print("left out: there is no universal-ctags here")
        return 77
    if not finds_what_is_planted():
        print("a function that is too long, or dead, isn't found")
        return 1
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True)
    if listed.returncode != 0:
        print("left out: this is not a git checkout")
        return 77
    there = [file for file in listed.stdout.splitlines() if (root / file).is_file()]
    files = [file for file in there if re.search(r"\.(c|h|cpp|hpp|go)$", file)]
    others = [file for file in there if re.search(r"(CMakeLists\.txt|\.cmake|\.in|\.md|\.sh|\.rs|golden/.*\.txt)$", file)]
    exempt = {line.split()[0] for line in (root / "tests/tidy/used_by_others.txt").read_text().splitlines()
              if line and not line.startswith("#")}
    found = complaints(root, files, others, exempt)
    print("\n".join(found))
    return 1 if found else 0


sys.exit(main())
