#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs a program's work with and without libtoft-malloc preloaded; what it writes must be the same.
#   programs.sh LIBRARY PROGRAM
set -euo pipefail
library=$1
program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export LC_ALL=C.UTF-8 HOME=$work PYTHONHASHSEED=0

# A wrapper that is a script of its own would start other programs first.
found=$(PATH=/usr/bin:/usr/local/bin:/bin:$PATH command -v "$program") || {
    echo "left out: there is no $program here"
    exit 77
}

bash_work() {
    local i words=()
    for ((i = 0; i < 20000; i++)); do words+=("word-$((i * 7919 % 10007))"); done
    printf '%s\n' "${words[@]}" | sort -u | tail -n 3
    declare -A seen
    for i in "${words[@]}"; do seen[$i]=${seen[$i]-}x; done
    echo "${#seen[@]} ${seen[word-17]}"
    for ((i = 0; i < 50; i++)); do (: "$(printf '%s' "$i" | tr 0-9 a-j)") & done
    wait
    seq 3000 | sed 's/$/ x/' | awk '{ n += $1 } END { print n }'
    find /usr/share/doc -maxdepth 1 2>/dev/null | head -n 5 | xargs -n 1 basename
}

case $program in
bash)
    declare -f bash_work >bash_work.sh
    echo bash_work >>bash_work.sh
    do_work() { "$found" bash_work.sh; }
    ;;
python3)
    cat >work.py <<'END'
import json, re, sqlite3, threading, zlib, collections, hashlib, subprocess, sys
words = [f"w{i * 7919 % 10007}" for i in range(100000)]
print(collections.Counter(words).most_common(3))
text = json.dumps([{"n": i, "s": w, "l": list(range(i % 9))} for i, w in enumerate(words[:20000])])
print(hashlib.sha256(text.encode()).hexdigest(), len(json.loads(text)))
print(len(zlib.decompress(zlib.compress(text.encode()))))
print(sum(len(m) for m in re.findall(r"[a-z]\d*7", " ".join(words))))
database = sqlite3.connect(":memory:")
database.execute("create table t (a, b)")
database.executemany("insert into t values (?, ?)", [(i, w) for i, w in enumerate(words)])
print(database.execute("select count(distinct b), max(a) from t").fetchall())
sums = []
def run(n): sums.append(sum(len(str(i) * 3) for i in range(n)))
threads = [threading.Thread(target=run, args=(20000 + i,)) for i in range(20)]
for t in threads: t.start()
for t in threads: t.join()
print(sorted(sums))
print(subprocess.run([sys.executable, "-c", "print(2 ** 2000)"], capture_output=True).stdout[-9:])
big = bytearray()
for i in range(200): big += bytes(100000)
print(len(big), len(bytes(big)[:: 7919]))
END
    do_work() { "$found" work.py; }
    ;;
perl)
    cat >work.pl <<'END'
my %count; $count{$_ * 7919 % 10007}++ for 1 .. 200000;
print join(",", (sort { $a <=> $b } keys %count)[0 .. 5]), "\n";
my $text = join " ", map { "word$_" } 1 .. 100000;
$text =~ s/(\d+)7/<$1>/g; print length $text, "\n";
my @tree = map { [ $_, [ map { { n => $_ } } 1 .. 10 ] ] } 1 .. 5000;
my $sum = 0; $sum += $_->[0] * scalar @{ $_->[1] } for @tree; print "$sum\n";
my $pid = fork; if (!$pid) { my @x = (1) x 100000; exit 3 } waitpid $pid, 0; print $? >> 8, "\n";
END
    do_work() { "$found" work.pl; }
    ;;
git)
    do_work() {
        rm -rf repository
        "$found" init -q repository
        cd repository
        for i in $(seq 30); do
            seq "$i" $((i * 200)) >"file$((i % 7))"
            "$found" add . && "$found" -c user.name=n -c user.email=e \
                commit -q --date="2020-01-01T00:00:$i" -m "number $i"
        done
        "$found" log --stat --format='%s %an' | tail -n 20
        "$found" diff HEAD~20 --shortstat
        "$found" gc -q --aggressive
        "$found" fsck --full 2>&1
        "$found" grep -c 1234 | sort
        "$found" blame file3 | tail -n 1 | cut -c 60-
        cd ..
    }
    ;;
gcc | clang)
    cat >work.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
int main(void) {
    enum { n = 50000 };
    char **words = malloc(n * sizeof *words);
    for (int i = 0; i < n; i++) {
        char word[30];
        sprintf(word, "w%d", i * 7919 % 10007);
        words[i] = strdup(word);
    }
    qsort(words, n, sizeof *words, compare);
    printf("%s %s\n", words[0], words[n - 1]);
    for (int i = 0; i < n; i++) free(words[i]);
    free(words);
}
END
    # The assembly, so that the output is the same bytes; then the program itself.
    do_work() {
        "$found" -O2 -S work.c -o work.s && cat work.s
        "$found" -O2 -g work.c -o work && ./work
    }
    ;;
sqlite3)
    cat >work.sql <<'END'
create table t (a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
  insert into t select i, 'w' || (i * 7919 % 10007), i / 7.0 from n;
create index t_b on t (b);
select b, count(*), round(sum(c), 3) from t group by b order by 2 desc, 1 limit 5;
update t set b = b || 'x' where a % 3 = 0;
delete from t where a % 5 = 0;
vacuum;
select count(*), count(distinct b), max(length(b)) from t;
select count(*) from t x join t y on x.b = y.b and x.a < y.a;
pragma integrity_check;
END
    do_work() {
        rm -f work.db
        "$found" work.db <work.sql
    }
    ;;
lua)
    cat >work.lua <<'END'
local t = {}
for i = 1, 300000 do t[i % 10007] = (t[i % 10007] or "") .. "x"; if #t[i % 10007] > 40 then t[i % 10007] = nil end end
local n = 0 for _, v in pairs(t) do n = n + #v end print(n)
local s = {} for i = 1, 50000 do s[#s + 1] = ("%d:%s"):format(i, i % 7) end
print(#table.concat(s, ","), (table.concat(s):gsub("7", "seven")):len())
END
    do_work() { "$found" work.lua; }
    ;;
node)
    cat >work.js <<'END'
const words = Array.from({ length: 100000 }, (_, i) => `w${(i * 7919) % 10007}`);
const count = new Map(); for (const w of words) count.set(w, (count.get(w) ?? 0) + 1);
console.log(count.size, [...count].sort()[5]);
const zlib = require('zlib'), crypto = require('crypto');
const text = Buffer.from(JSON.stringify(words));
console.log(zlib.gunzipSync(zlib.gzipSync(text)).equals(text), crypto.createHash('sha256').update(text).digest('hex'));
const { Worker } = require('worker_threads');
let left = 4, sum = 0;
for (let i = 0; i < 4; i++)
  new Worker("const {parentPort}=require('worker_threads'); let a=[]; for(let i=0;i<1e5;i++) a.push({i}); parentPort.postMessage(a.length)", { eval: true })
    .on('message', (n) => { sum += n; if (--left === 0) console.log(sum); });
END
    do_work() { "$found" work.js; }
    ;;
java)
    cat >Work.java <<'END'
import java.util.*; import java.util.stream.*; import java.util.zip.*;
public class Work {
    public static void main(String[] a) throws Exception {
        Map<String, Integer> count = new TreeMap<>();
        for (int i = 0; i < 200000; i++) count.merge("w" + i * 7919L % 10007, 1, Integer::sum);
        System.out.println(count.size() + " " + count.get("w17"));
        Deflater d = new Deflater(); byte[] in = new byte[1000000], out = new byte[1000000];
        d.setInput(in); d.finish(); System.out.println(d.deflate(out));
        System.out.println(IntStream.range(0, 100000).parallel().mapToObj(i -> "x" + i).mapToInt(String::length).sum());
    }
}
END
    do_work() { "$found" -Xmx256m Work.java; }
    ;;
redis-server)
    command -v redis-cli >/dev/null || { echo "left out: there is no redis-cli here"; exit 77; }
    do_work() {
        local socket=$work/redis.sock
        rm -f "$socket" dump.rdb
        "$found" --port 0 --unixsocket "$socket" --dir "$work" --save '' --io-threads 2 \
            --activedefrag no --daemonize no >redis.log 2>&1 &
        local server=$!
        until env -u LD_PRELOAD redis-cli -s "$socket" ping >/dev/null 2>&1; do
            kill -0 $server || { cat redis.log; return 1; }
        done
        for ((i = 0; i < 3000; i++)); do
            echo "set k$i $i"; echo "append k$i $i"; echo "lpush l$((i % 10)) v$i"
            echo "zadd z $((i * 7919 % 10007)) m$i"; echo "hset h f$i $i"
        done | env -u LD_PRELOAD redis-cli -s "$socket" | sort | uniq -c | sort | tail -n 3
        env -u LD_PRELOAD redis-cli -s "$socket" <<<$'zrange z 0 3\nllen l3\nhlen h\ndbsize\nsave\ndebug digest\nflushall\nshutdown nosave'
        wait $server
    }
    ;;
*)
    echo "unknown: $program" >&2
    exit 1
    ;;
esac

(do_work) >expected 2>expected.errors || { cat expected.errors; echo "$program fails without the library too"; exit 77; }
# Where each free is checked, threads have no caches.
for checked in '' 1; do
    (
        export LD_PRELOAD=$library TOFT_MALLOC_CHECK=$checked
        do_work
    ) >actual 2>errors || { cat errors; echo "$program failed under libtoft-malloc" >&2; exit 1; }
    diff expected actual || { echo "$program wrote something else under libtoft-malloc" >&2; exit 1; }
    diff expected.errors errors || { echo "$program complained under libtoft-malloc" >&2; exit 1; }
done
[[ -s expected ]] || { echo "$program wrote nothing" >&2; exit 1; }
