#!/bin/bash
# Installs what Convoy needs from Debian packages. Safe to call again: nothing is downloaded when all is there.
#
#   scripts/setup.sh          what building, running and the report page need
#   scripts/setup.sh --full   that, and what the complete test suite cross-checks against
set -euo pipefail

build_packages=(
  ca-certificates g++ cmake ninja-build ccache git
  libboost-dev libboost-filesystem-dev libboost-iostreams-dev libboost-system-dev libboost-thread-dev
  libfmt-dev nlohmann-json3-dev doctest-dev libeigen3-dev libcli11-dev libbenchmark-dev zlib1g-dev
  python3 python3-pandas python3-matplotlib python3-plotly
  dataset-fashion-mnist
)
full_packages=(clang-14 chromium chromium-driver fonts-dejavu-core graphviz python3-numpy shellcheck time
  libsimgrid-dev iproute2 python3-torch)

packages=("${build_packages[@]}")
case "${1:-}" in
  "") ;;
  --full) packages+=("${full_packages[@]}") ;;
  *) echo "usage: scripts/setup.sh [--full]" >&2; exit 2 ;;
esac

command -v dpkg-query >/dev/null || { echo "setup.sh: this is not Debian; install by hand: ${packages[*]}" >&2; exit 1; }
# dpkg-query fails when it does not know one of the names; the others are printed all the same.
installed=$(dpkg-query -W -f='${Package} ${Status}\n' "${packages[@]}" 2>/dev/null || true)
missing=()
for package in "${packages[@]}"; do
  grep -qxF "$package install ok installed" <<<"$installed" || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || { echo "setup.sh: needs root or sudo to install: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1 ||
    { cat "$log" >&2; echo "setup.sh: apt-get $1 failed, see above" >&2; exit 1; }
}
echo "setup.sh: installing ${missing[*]}" >&2
apt update
apt install -y --no-install-recommends "${missing[@]}"
