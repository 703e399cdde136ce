# SPDX-License-Identifier: MIT
# Sourced by the suites: compares what failed with the list of what can't pass.
# A line of that list is: test, allocators (or *), reason; columns are separated by a tab.

# exceptions file, results (lines of verdict, allocator, test; the verdict is pass or something else)
judge() {
    awk -F '\t' '
        FILENAME == ARGV[1] {
            if ($0 ~ /^#/ || NF < 3) next
            count = split($2, names, ",")
            for (i = 1; i <= count; i++) listed[$1, names[i]] = $3
            next
        }
        {
            excused = ($3, $2) in listed || ($3, "*") in listed
            ran[$2]++
            passed[$2] += $1 == "pass"
            excepted[$2] += $1 != "pass" && excused
        }
        $1 == "pass" && excused { print "passes, but is listed: " $3 " (" $2 ")"; bad = 1 }
        $1 != "pass" && !excused { print $1 ": " $3 " (" $2 ")"; bad = 1 }
        END {
            for (each in ran) {
                printf "%s: %d tests, %d pass, %d are listed as exceptions\n",
                    each, ran[each], passed[each], excepted[each]
                any = 1
            }
            if (!any) print "no test has run"
            exit bad || !any
        }' "$1" "$2"
}
