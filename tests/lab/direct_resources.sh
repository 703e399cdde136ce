#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Subjects that know the type of their memory resource call it directly, and a monotonic one's
# allocation is inlined, as Toft's is; and no buffer is filled before it is used:
#     direct_resources.sh OBJECT...
set -euo pipefail
if [[ $(uname -m) != x86_64 ]] || ! command -v objdump >/dev/null; then
    echo "left out: this reads x86-64 code by objdump"
    exit 77
fi
bad=0
for object in "$@"; do
    code=$(objdump -dr --no-show-raw-insn "$object")
    if grep -E '\b(call|jmp)q? +\*|PLT32.*25monotonic_buffer_resource11do_allocate' <<<"$code"; then
        echo "$object: an allocation is a call"
        bad=1
    elif grep -w memset <<<"$code"; then
        echo "$object: a buffer is filled with zeros"
        bad=1
    elif ! grep -q '_M_new_buffer' <<<"$code"; then
        echo "$object: no monotonic resource grows here"
        bad=1
    fi
done
exit $bad
