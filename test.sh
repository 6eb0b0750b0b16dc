#!/usr/bin/env bash
# All tests: of the Rust crates and the command, and of the Python package in a virtual environment of its own under target/.
#   ./test.sh
set -euo pipefail
cd "$(dirname "$0")"
cargo test --workspace
python/test.sh
