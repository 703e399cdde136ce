#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs a program that must end with a status, and say what a regular expression matches:
#   run.sh STATUS REGEX COMMAND...
# CTest would look at one of them only. What is said is both outputs together, without newlines at their end.
status=$1
regex=$2
shift 2
said=$("$@" 2>&1)
ended=$?
printf '%s\n' "$said"
[[ $ended == "$status" ]] || { echo "run.sh: the status is $ended, and not $status" >&2; exit 1; }
[[ $said =~ $regex ]] || { echo "run.sh: the output isn't $regex" >&2; exit 1; }
