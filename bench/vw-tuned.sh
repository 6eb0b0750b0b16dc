#!/usr/bin/env bash
# Test log loss of one pass of Vowpal Wabbit with a tuned learning rate, on every DIR/NAME.train.svm with a
# DIR/NAME.test.svm whose labels are two classes.
#
#   bench/vw-tuned.sh DIR vw
#   bench/vw-tuned.sh DIR python3 -m vowpalwabbit
#
# Each rate of the grid learns from four rows in five and is judged on the fifth; the best then learns from all rows.
set -euo pipefail
export LC_ALL=C

rates=(0.02 0.1 0.5 2 10)
if (($# < 2)); then
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2
    exit 2
fi
dir=$1
shift
vw=("$@")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# svmlight to VW text; index 0 is no feature name that VW would take for another, so ids stay as they are.
text() {
    awk '{ label = $1 > 0 ? 1 : -1; $1 = ""; sub(/#.*/, ""); print label " |" $0 }' "$1"
}

# Mean log loss of the model that learnt file $1 at rate $2 on the rows of file $3.
loss() {
    "${vw[@]}" --loss_function logistic -l "$2" -d "$1" -f "$folder/model" --quiet
    "${vw[@]}" -t -i "$folder/model" -d "$3" --raw_predictions "$folder/raw" -p /dev/null --quiet
    paste -d ' ' <(cut -d ' ' -f 1 "$3") <(cut -d ' ' -f 1 "$folder/raw") | awk '
        { z = -$1 * $2; sum += (z > 0 ? z : 0) + log(1 + exp(z > 0 ? -z : z)) }
        END { printf "%.6f", sum / NR }'
}

printf '%-16s %8s %11s\n' name rate 'test loss'
for train in "$dir"/*.train.svm; do
    name=$(basename "$train" .train.svm)
    test=$dir/$name.test.svm
    # Two classes only.
    [[ -e $test ]] && (($(cut -d ' ' -f 1 "$train" | sort -u | head -n 3 | wc -l) == 2)) || continue
    text "$train" >"$folder/all"
    text "$test" >"$folder/test"
    awk 'NR % 5' "$folder/all" >"$folder/most"
    awk 'NR % 5 == 0' "$folder/all" >"$folder/rest"
    best=$(for rate in "${rates[@]}"; do
        echo "$(loss "$folder/most" "$rate" "$folder/rest") $rate"
    done | sort -g | head -n 1)
    printf '%-16s %8s %11.4f\n' "$name" "${best#* }" "$(loss "$folder/all" "${best#* }" "$folder/test")"
done
