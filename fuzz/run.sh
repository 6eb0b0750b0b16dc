#!/usr/bin/env bash
# Fuzzes every target for so many seconds each, on one core, and stops at the first fault:
#   fuzz/run.sh SECONDS [TARGET...]
# Needs cargo-fuzz (cargo install cargo-fuzz --locked) and a C++ compiler. What was found before is kept in fuzz/corpus, an
# input at fault in fuzz/artifacts; `cargo fuzz run TARGET FILE` reads it again.
set -euo pipefail
seconds=${1:?usage: fuzz/run.sh SECONDS [TARGET...]}
shift
cd "$(dirname "$0")/.."
# The sanitizer is an option of nightly compilers; stable ones have it too.
export RUSTC_BOOTSTRAP=1
[ $# -gt 0 ] || set -- svmlight vw csv tsv parquet arrow codec model mutant

for target in "$@"; do
    corpus=fuzz/corpus/$target
    mkdir -p "$corpus"
    case $target in
    parquet | arrow) seeds=crates/surefoot-io/tests/data/columnar ;;
    *) seeds=fuzz/seeds/$target ;;
    esac
    for seed in "$seeds"/*; do
        # What makes choices only needs no seeds.
        [ -e "$seed" ] || continue
        # Text and tables begin with four bytes that choose options.
        case $target in
        codec | model) cp "$seed" "$corpus/" ;;
        *) for choices in '\0\0\0\0' '\7\24\0\1' '\240\0\77\5' '\2\0\201\60'; do
            printf "$choices" | cat - "$seed" >"$corpus/$(basename "$seed")-$(printf %s "$choices" | tr '\\' _)"
        done ;;
        esac
    done
    # Bounds: memory in MiB, of one allocation and of all with the sanitizer's own, and seconds an input.
    case $target in
    # A file may ask for 260 MiB to decompress it, and small ones may be large inside.
    codec) bounds=(-malloc_limit_mb=320 -rss_limit_mb=1536 -timeout=20 -max_len=4096) ;;
    # 4 million products in a row are allowed, and their names.
    vw | csv | tsv) bounds=(-malloc_limit_mb=192 -rss_limit_mb=1536 -timeout=20 -max_len=8192) ;;
    *) bounds=(-malloc_limit_mb=128 -rss_limit_mb=1024 -timeout=10 -max_len=65536) ;;
    esac
    echo "--- $target"
    cargo fuzz run "$target" -- "${bounds[@]}" -max_total_time="$seconds" -print_final_stats=1
done
