# Sets up and builds. Sourced by ./sgemm_runner, ./run_tests and ./simcc, which set `program` to their own name first.
#
#   choose_build "$@"   decides between the builds and leaves the other arguments in `arguments`
#   build TARGET        brings TARGET in `build_folder` up to date, with everything that it needs
#
# Everything is said on stderr, and nothing is said when there is nothing to do. Exit codes: 2 if the user has
# to act, 70 if the build fails.

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)

# THE list of packages, for Debian 12 and Ubuntu 24.04. A CUDA toolkit comes from NVIDIA, not from here.
packages=(
  cmake ninja-build g++ clang-19 llvm-19
  libcli11-dev libeigen3-dev libfmt-dev libgmock-dev libgtest-dev nlohmann-json3-dev python3
)

builds="sim, sim-asan or cuda"

say() { echo "$program: $*" >&2; }
fail() {
  local code=$1
  shift
  say "$@"
  exit "$code"
}

find_nvcc() {
  command -v nvcc || { [ -x /usr/local/cuda/bin/nvcc ] && echo /usr/local/cuda/bin/nvcc; }
}

has_gpu() { [ -e /dev/nvidiactl ] || nvidia-smi -L > /dev/null 2>&1; }

# --build BUILD, else SGEMM_BUILD, else what the machine offers.
choose_build() {
  local choice=${SGEMM_BUILD:-}
  arguments=()
  while [ $# -gt 0 ]; do
    case $1 in
      --build)
        [ $# -gt 1 ] || fail 2 "--build needs a value: $builds"
        choice=$2
        shift
        ;;
      --build=*) choice=${1#--build=} ;;
      *) arguments+=("$1") ;;
    esac
    shift
  done
  if [ -z "$choice" ]; then
    if has_gpu && find_nvcc > /dev/null; then choice=cuda; else choice=sim; fi
  fi
  case $choice in
    sim) ;;
    sim-asan) packages+=(libclang-rt-19-dev) ;;  # for those who change the project: see CONTRIBUTING.md
    sim-aarch64) packages+=(g++-aarch64-linux-gnu googletest qemu-user) ;;  # .ci/aarch64's
    cuda)
      find_nvcc > /dev/null || fail 2 "the cuda build needs NVIDIA's nvcc on the PATH or in /usr/local/cuda/bin;" \
        "--build sim needs neither it nor a GPU"
      ;;
    *) fail 2 "there is no build '$choice': it is $builds" ;;
  esac
  preset=$choice
  build_folder=$root/build/$choice
  log=$root/build/$choice.log
}

# Two at once take turns. The lock lasts until unlock, or until the process ends.
lock() {
  mkdir -p "$root/build" || fail 2 "cannot write to $root/build"
  exec 9> "$build_folder.lock"
  flock -n 9 && return
  say "waiting for another build in $build_folder"
  flock 9
}
unlock() { exec 9>&-; }

configure() {
  local options=()
  [ "$preset" = cuda ] && options+=("-DCMAKE_CUDA_COMPILER=$(find_nvcc)")
  cmake -S "$root" --preset "$preset" "${options[@]}" > "$log" 2>&1 < /dev/null 9>&-
}

is_configured() { [ -e "$build_folder/build.ninja" ]; }

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}\n' "$package" 2> /dev/null | grep -q '^install ok installed$' || echo "$package"
  done
}

# Installs what is missing of the list, or says how to.
install_packages() {
  command -v apt-get > /dev/null ||
    fail 2 "something is missing, and this is neither Debian nor Ubuntu: install the equivalents of ${packages[*]}"
  local missing
  mapfile -t missing < <(missing_packages)
  if [ ${#missing[@]} -eq 0 ]; then
    cat "$log" >&2
    fail 70 "cannot configure the build; see above"
  fi

  local line="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2> /dev/null || fail 2 "packages are missing; run this and try again: sudo sh -c '$line'"
    as_root=(sudo -n)
  fi
  say "installing ${missing[*]}"
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive sh -c "$line" > "$log" 2>&1 < /dev/null 9>&-; then
    tail -n 20 "$log" >&2
    fail 2 "the installation failed; run this to see why: sudo sh -c '$line'"
  fi
}

# Installs what is missing of the list if one of these commands is.
need() {
  local command
  for command in "$@"; do
    command -v "$command" > /dev/null && continue
    mkdir -p "$root/build"
    local log=$root/build/packages.log
    : > "$log"
    install_packages
    return
  done
}

# Runs ninja; names the step when there is work, counts it on a terminal, and shows errors whole.
run_ninja() {
  local line announced=no
  while IFS= read -r line; do
    echo "$line"
    [[ $line == \[*\]\ * && $line != \[0/* ]] || continue
    [ $announced = yes ] || say "building $1 in $build_folder"
    announced=yes
    [ -t 2 ] && printf '\r\033[K%s' "${line%%]*}]" >&2
  done < <(ninja -C "$build_folder" -j "$(nproc)" "$1" 2>&1 < /dev/null 9>&- || echo "ninja failed") > "$log"
  [ $announced = yes ] && [ -t 2 ] && printf '\r\033[K' >&2
  [ "$(tail -n 1 "$log")" != "ninja failed" ]
}

build() {
  lock
  if ! is_configured; then
    say "configuring the $preset build"
    if ! configure; then
      install_packages
      rm -rf "$build_folder/CMakeCache.txt" "$build_folder/CMakeFiles"  # what was not found may be remembered
      configure || { cat "$log" >&2; fail 70 "cannot configure the build; see above"; }
    fi
  fi
  if ! run_ninja "$1"; then
    grep -v '^\[[0-9]*/[0-9]*\] \|^ninja' "$log" >&2
    fail 70 "the build failed; see above"
  fi
  unlock
}
