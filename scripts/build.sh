#!/bin/bash
# Configures build/ (Release, Ninja) where that has not been done, and builds TARGETS in it (default: everything).
# On a terminal it shows Ninja's progress line; elsewhere it is silent unless the build fails.
#
#   scripts/build.sh [TARGET]...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT
quietly() {
  "$@" >"$log" 2>&1 || { cat "$log" >&2; echo "build.sh: '$1' failed, see above" >&2; exit 1; }
}

# CMakeCache.txt appears early in a first configuration, build.ninja only at its end.
if [[ ! -f build/build.ninja ]]; then
  quietly cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release
fi
build=(cmake --build build --target "${@:-all}")
if [[ -t 2 ]]; then
  "${build[@]}" >&2
else
  quietly "${build[@]}"
fi
