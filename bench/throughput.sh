#!/usr/bin/env bash
# Rows a second of one pass of surefoot and of another command over the same rows, in turn, so that both meet the same
# machine. Prints minimum, median and maximum of each, and of the ratio of the two runs of a round.
#
#   bench/throughput.sh [-k ROUNDS] ROWS.svm ROWS.vw COMMAND...
#   bench/throughput.sh -k 7 big.svm big.vw vw --loss_function logistic -b 22 --quiet
#
# COMMAND is run as COMMAND -d ROWS.vw. Both programs read their own text format and may use all cores they are allowed;
# put `taskset -c 0` before this script to allow one. Times are wall times of whole processes, reading included.
# SUREFOOT names the program (target/release/surefoot), SUREFOOT_FLAGS what to add to its fit (nothing).
set -euo pipefail
export LC_ALL=C

rounds=5
if [[ ${1:-} == -k ]]; then
    rounds=${2:?"-k needs a number of rounds"}
    shift 2
fi
if (($# < 3)); then
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2
    exit 2
fi
svm=$1 text=$2
shift 2
surefoot=${SUREFOOT:-${CARGO_TARGET_DIR:-target}/release/surefoot}
read -r -a flags <<<"${SUREFOOT_FLAGS:-}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Seconds of a command, whose own output goes to a file that is shown if it fails.
seconds() {
    local start=$EPOCHREALTIME end
    "$@" >"$folder/said" 2>&1 || { cat "$folder/said" >&2; return 1; }
    end=$EPOCHREALTIME
    awk -v a="$start" -v b="$end" 'BEGIN { printf "%.6f", b - a }'
}

rows=$(grep -c '^[^#[:space:]]' "$svm")
also=$(grep -c '[^[:space:]]' "$text")
if [[ $rows != "$also" ]]; then
    echo "$svm has $rows rows, $text has $also" >&2
    exit 2
fi
echo "$rows rows; rounds: $rounds; other: $*"
cat "$svm" "$text" >/dev/null # both files are in memory from here on
for ((i = 1; i <= rounds; i++)); do
    # Who begins changes from round to round.
    if ((i % 2)); then
        ours=$(seconds "$surefoot" fit "$svm" --quiet -o "$folder/model" ${flags[@]+"${flags[@]}"})
        other=$(seconds "$@" -d "$text")
    else
        other=$(seconds "$@" -d "$text")
        ours=$(seconds "$surefoot" fit "$svm" --quiet -o "$folder/model" ${flags[@]+"${flags[@]}"})
    fi
    echo "$ours $other" >>"$folder/seconds"
done

# The three numbers of one column, by an expression of $1 (our seconds) and $2 (the other's).
summary() {
    awk -v rows="$rows" "{ print $2 }" "$folder/seconds" | sort -g | awk -v name="$1" -v form="$3" '
        { value[NR] = $1 }
        END {
            median = NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2
            printf "%-18s" form form form "\n", name, value[1], median, value[NR]
        }'
}
printf '%-18s%12s%12s%12s\n' '' minimum median maximum
summary 'surefoot, rows/s' 'rows / $1' '%12.0f'
summary 'other, rows/s' 'rows / $2' '%12.0f'
summary 'ratio' '$2 / $1' '%12.2f'
