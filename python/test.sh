#!/usr/bin/env bash
# Lints, types and tests of the Python package, with a development build of its extension module. Makes a virtual environment under target/
# with what requirements-test.txt names; installs nothing elsewhere.
#   python/test.sh [ARGUMENTS OF PYTEST]
set -euo pipefail
cd "$(dirname "$0")"
target=${CARGO_TARGET_DIR:-$PWD/../target}
environment=$target/python

# A Python from 3.11 on, the first that there is.
python=
for name in "${SUREFOOT_PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11; do
    if [ -n "$name" ] && "$name" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$name && break; fi
done
if [ -z "$python" ]; then
    echo "skipped: no Python from 3.11 on was found (SUREFOOT_PYTHON names one); the Python package is not tested"
    [ -z "${SUREFOOT_STRICT:-}" ] && exit 0 || exit 1
fi

if ! cmp -s requirements-test.txt "$environment/installed.txt"; then
    echo "making a virtual environment in $environment"
    rm -rf "$environment"
    "$python" -m venv "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check --requirement requirements-test.txt
    cp requirements-test.txt "$environment/installed.txt"
fi

# With the features of the whole workspace, so that what its tests have built is used again.
cargo build --workspace --lib
for library in "$target"/debug/lib_surefoot.so "$target"/debug/lib_surefoot.dylib; do
    # Moved into place as a whole, since a running Python may have the old one mapped.
    if [ -e "$library" ]; then cp "$library" surefoot/_surefoot.new && mv surefoot/_surefoot.new surefoot/_surefoot.abi3.so; fi
done

"$environment/bin/ruff" check
"$environment/bin/ruff" format --check
"$environment/bin/mypy"
PYTHONPATH=$PWD exec "$environment/bin/python" -m pytest --quiet --numprocesses 2 --dist worksteal "$@"
