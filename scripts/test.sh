#!/bin/bash
# Builds everything and runs the tests. Prints what failed and what was skipped, then one last line:
# `N passed, N failed` or `N passed, N failed, N skipped`, counted in test cases over all test programs.
#
#   scripts/test.sh [--fast] [FILTER]
#
#   scripts/test.sh                    all tests
#   scripts/test.sh --fast             without programs labelled `slow` and test cases named `... [slow]`
#   scripts/test.sh network            the test program(s) whose name matches this regular expression
#   scripts/test.sh "ring all-reduce"  no program is called so: the C++ test cases whose name contains this
#
# Exit code: 0 all passed, 1 a test failed or the build did, 2 the command line is wrong or nothing matches.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

case "${1:-}" in
  -h | --help) sed -n '2,/^set /{s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 0 ;;
esac
for argument in "$@"; do
  [[ $argument != -* || $argument == --fast ]] || { echo "test.sh: unknown option $argument (see --help)" >&2; exit 2; }
done
"$root/scripts/setup.sh"
"$root/scripts/build.sh"
exec /usr/bin/python3 "$root/scripts/run_tests.py" --build "$root/build" "$@"
