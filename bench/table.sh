#!/usr/bin/env bash
# The table of test losses in docs/benchmarks.md, from what the programs `quality` and `vw-tuned.sh` printed:
#
#   cargo run --release -p surefoot-bench --bin quality -- DIR >ours
#   bench/vw-tuned.sh DIR vw >theirs
#   bench/table.sh ours theirs
set -euo pipefail
export LC_ALL=C

if (($# != 2)); then
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2
    exit 2
fi
awk '
    FNR == 1 { file++; next }
    file == 1 && $2 ~ /^[0-9]+$/ { rows[$1] = $2; loss[$1] = $4; next }
    file == 2 && $1 in loss {
        if (!count++) print "| data | rows | surefoot | VW, tuned | ratio |\n| --- | ---: | ---: | ---: | ---: |"
        n = rows[$1]
        if (n >= 1000) n = int(n / 1000) sprintf(",%03d", n % 1000)
        printf "| %s | %s | %s | %s | %.2f |\n", $1, n, loss[$1], $3, loss[$1] / $3
        sum += log(loss[$1] / $3)
    }
    END { printf "| geometric mean | | | | %.2f |\n", exp(sum / count) }' "$1" "$2"
