#!/bin/bash
# From a bare Debian 12 to a result: installs what is missing, builds `sim`, runs an experiment, writes its report page.
#
#   scripts/run.sh [FILE] [OPTIONS OF sim run]
#
#   scripts/run.sh                                  configs/quickstart.json, into runs/quickstart
#   scripts/run.sh configs/papers/halos.json        that experiment, into runs/halos
#   scripts/run.sh --seeds 1 --threads 2            quickstart, with options passed on to `sim run`
#
# Call it again at any time: what is installed, built or finished is not done again.
# Exit code: that of `sim run` (0 done, 1 a run failed, 2 the input is wrong, 3 no progress, 130 interrupted).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

case "${1:-}" in
  -h | --help) sed -n '2,/^set /{s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 0 ;;
esac

config="$root/configs/quickstart.json"
if (($# > 0)) && [[ $1 != -* ]]; then
  [[ -f $1 ]] || { echo "run.sh: no such file: $1" >&2; exit 2; }
  config=$(realpath "$1")
  shift
fi
out="$root/runs/$(basename "$config" .json)"
own_out=(--out "$out")
previous=
for argument in "$@"; do
  case $argument in --out=*) out=${argument#--out=}; own_out=() ;; esac
  if [[ $previous == --out ]]; then out=$argument; own_out=(); fi
  previous=$argument
done

"$root/scripts/setup.sh"
"$root/scripts/build.sh" sim

status=0
"$root/build/bin/sim" run "$config" "${own_out[@]}" "$@" || status=$?

# A failed or stuck run leaves the others' results, and the page shows which one it was.
if [[ $status =~ ^(0|1|3)$ && -f $out/summary.json ]]; then
  "$root/scripts/report.py" "$out" || status=$((status ? status : $?))
fi
exit "$status"
