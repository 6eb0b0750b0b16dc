#!/usr/bin/env bash
# The price of --shuffle: time and peak memory of `surefoot fit` on the same rows in file order, shuffled in memory, and
# shuffled by way of a temporary file (with a tenth of the size of DATA as memory), in turn, so that all meet the same machine.
# Prints minimum, median and maximum of the ratios to the file order in the same round.
#
#   bench/shuffle.sh [-k ROUNDS] DATA [FLAG...]
#   bench/shuffle.sh -k 7 big.train.svm --passes 3
#
# Times are those of whole processes: by the clock, and of processors. SUREFOOT names the program (target/release/surefoot). Needs GNU time.
set -euo pipefail
export LC_ALL=C

rounds=5
if [[ ${1:-} == -k ]]; then
    rounds=${2:?"-k needs a number of rounds"}
    shift 2
fi
if (($# < 1)) || ! command -v time >/dev/null; then
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2
    exit 2
fi
data=$1
shift
surefoot=${SUREFOOT:-${CARGO_TARGET_DIR:-target}/release/surefoot}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Seconds by the clock, seconds of processors and peak kilobytes of a fit with these flags, with so many bytes of memory for rows.
measure() {
    local memory=$1
    shift
    SUREFOOT_MEMORY=$memory command time -f '%e %U %S %M' -o "$folder/said" "$surefoot" fit "$data" --quiet -o "$folder/model" "$@"
    awk '{ print $1, $2 + $3, $4 }' "$folder/said"
}

size=$(stat -c %s "$data")
cat "$data" >/dev/null # in memory from here on
ways=(file memory spilled)
for ((i = 0; i < rounds; i++)); do
    declare -A said
    for ((j = 0; j < 3; j++)); do
        # Who begins changes from round to round.
        way=${ways[(i + j) % 3]}
        case $way in
            file) said[$way]=$(measure $((1 << 40)) "$@") ;;
            memory) said[$way]=$(measure $((1 << 40)) --shuffle "$@") ;;
            spilled) said[$way]=$(measure $((size / 10)) --shuffle "$@") ;;
        esac
    done
    echo "${said[file]} ${said[memory]} ${said[spilled]}" >>"$folder/rounds"
done

# The three numbers of one column, by an expression.
summary() {
    awk "{ print $2 }" "$folder/rounds" | sort -g | awk -v name="$1" -v form="$3" '
        { value[NR] = $1 }
        END {
            median = NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2
            printf "%-34s" form form form "\n", name, value[1], median, value[NR]
        }'
}
echo "$data, $size bytes; rounds: $rounds; flags: $*"
printf '%-34s%10s%10s%10s\n' '' minimum median maximum
summary 'file order: seconds' '$1' '%10.2f'
summary 'shuffled in memory: ratio' '$4 / $1' '%10.2f'
summary 'shuffled by a file: ratio' '$7 / $1' '%10.2f'
summary 'file order: processor seconds' '$2' '%10.2f'
summary 'shuffled in memory: ratio' '$5 / $2' '%10.2f'
summary 'shuffled by a file: ratio' '$8 / $2' '%10.2f'
summary 'file order: peak MB' '$3 / 1000' '%10.0f'
summary 'shuffled in memory: peak MB' '$6 / 1000' '%10.0f'
summary 'shuffled by a file: peak MB' '$9 / 1000' '%10.0f'
