# Sets up and builds. ./sgemm_runner, ./run_tests and ./simcc set `program` to their own names, and then source this file.
#
#   choose_build "$@"   chooses the build, and stores the arguments that do not name it in `arguments`
#   need_for PURPOSE    adds the packages for a purpose (tests, benchmarks, ...), and turns on its part of the build
#   choose_program      finds the subcommand in `arguments`, sets `target` to its program, and adds its packages
#   build TARGET        builds TARGET in `build_folder`, with all that TARGET needs, unless it is up to date
#   build TARGET yes    does the same, but lets any other build that waits for the folder go first
#
# All messages go to stderr. There are no messages if there is nothing to do. Exit codes: 2 if the user has to act, 70 if
# the build fails, 129, 130 and 143 if a signal ended it.

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)

# THE list of packages, by purpose. Their names are those of Debian 12 and Ubuntu 24.04. The list has no CUDA toolkit:
# users install NVIDIA's.
declare -A packages_for=(
  [run]="cmake ninja-build g++ libcli11-dev libeigen3-dev libfmt-dev nlohmann-json3-dev python3"
  [sim]="clang-19 llvm-19"  # not in Ubuntu 22.04, the system of hosted notebooks with a GPU
  [packed]="clang-19 llvm-19 g++ python3"  # in a copy for a class, in place of `run` and `sim`
  [tests]="git libbenchmark-dev libgmock-dev libgtest-dev make pkg-config python3-yaml"
  [benchmarks]="libbenchmark-dev"
  [plots]="python3-matplotlib python3-numpy"
  [browser]="chromium"
  [reference]="doxygen"
  [python]="python3-dev python3-venv"
  [distributed]="libopenmpi-dev openmpi-bin"
  [google-tools]="libbenchmark-tools python3-scipy"
  [development]="clang-format-19"
  [sim-asan]="libclang-rt-19-dev"
  [sim-aarch64]="g++-aarch64-linux-gnu googletest qemu-user"
  [emulators]="qemu-user"
  [openmp]="libomp-19-dev"  # for programs that simcc compiles with -fopenmp
)
# The packages' names elsewhere, where they differ: on Fedora, Arch and openSUSE. A dash: a part of another package there.
declare -A names_elsewhere=(
  [chromium]="chromium chromium chromium"
  [clang-19]="clang clang clang19"
  [doxygen]="doxygen doxygen doxygen"
  [g++]="gcc-c++ gcc gcc-c++"
  [libbenchmark-dev]="google-benchmark-devel benchmark benchmark-devel"
  [libcli11-dev]="cli11-devel cli11 cli11-devel"
  [libeigen3-dev]="eigen3-devel eigen eigen3-devel"
  [libfmt-dev]="fmt-devel fmt fmt-devel"
  [libgmock-dev]="gmock-devel - gmock"
  [libgtest-dev]="gtest-devel gtest gtest"
  [libomp-19-dev]="libomp-devel openmp libomp19-devel"
  [libopenmpi-dev]="openmpi-devel openmpi openmpi4-devel"
  [llvm-19]="llvm llvm llvm19"
  [ninja-build]="ninja-build ninja ninja"
  [nlohmann-json3-dev]="json-devel nlohmann-json nlohmann_json-devel"
  [openmpi-bin]="openmpi - openmpi4"
  [pkg-config]="pkgconf-pkg-config pkgconf pkgconf-pkg-config"
  [python3]="python3 python python3"
  [python3-dev]="python3-devel - python3-devel"
  [python3-matplotlib]="python3-matplotlib python-matplotlib python3-matplotlib"
  [python3-numpy]="python3-numpy python-numpy python3-numpy"
  [python3-scipy]="python3-scipy python-scipy python3-scipy"
  [python3-venv]="- - -"
  [python3-yaml]="python3-pyyaml python-yaml python3-PyYAML"
)
# Any of these browsers will do. The package is installed only on a machine without a browser. On Ubuntu it installs a snap.
browsers="chromium chromium-browser google-chrome"
# What the tests of the Python package need beside Debian's packages: packages of PyPI. They are installed in build/python.
python_packages="nanobind numpy scikit-build-core"
packages=()
features=()  # CMake options that turn on parts of the build
# need_for PURPOSE...: adds the packages for each purpose, and turns on its part of the build.
need_for() {
  local purpose package
  for purpose in "$@"; do
    [ -n "${packages_for[$purpose]:-}" ] || fail 70 "no packages for '$purpose'; the list has packages for ${!packages_for[*]}"
    for package in ${packages_for[$purpose]}; do
      [ "$purpose" != browser ] || ! has_browser || continue
      [[ " ${packages[*]} " == *" $package "* ]] || packages+=("$package")
    done
    case $purpose in
      tests | benchmarks | plots | browser | reference | python | distributed) features+=("SGEMM_BUILD_${purpose^^}") ;;
      google-tools) features+=(SGEMM_TEST_GOOGLE_TOOLS) ;;
    esac
  done
}

has_browser() { command -v $browsers > /dev/null; }

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

# Prints the name of clang: 19, or a newer one. CMake says that clang++-19 is missing if there is none.
find_clang() {
  local name version
  for name in clang++-19 clang++-20 clang++-21 clang++-22 clang++; do
    version=$("$name" -dumpversion 2> /dev/null) || continue
    [ "${version%%.*}" -lt 19 ] || { echo "$name"; return; }
  done
  echo clang++-19
}

has_gpu() { [ -e /dev/nvidiactl ] || nvidia-smi -L > /dev/null 2>&1; }

# Chooses the build by --build BUILD, else by SGEMM_BUILD. If both are missing, it chooses cuda on a machine with a GPU and
# nvcc, else sim, and leaves `asked_for_build` empty.
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
  asked_for_build=$choice
  if [ -z "$choice" ]; then
    if has_gpu && find_nvcc > /dev/null; then choice=cuda; else choice=sim; fi
  fi
  need_for run
  case $choice in
    sim) ;;
    sim-asan | sim-aarch64) need_for "$choice" ;;  # for developers: see CONTRIBUTING.md
    cuda)
      find_nvcc > /dev/null || fail 2 "the cuda build needs NVIDIA's nvcc on the PATH or in /usr/local/cuda/bin;" \
        "--build sim needs neither nvcc nor a GPU"
      ;;
    *) fail 2 "there is no build '$choice'; the builds are $builds" ;;
  esac
  use_build "$choice"
}

use_build() {
  preset=$1
  [[ $preset != sim* ]] || need_for sim
  build_folder=$root/build/$preset
  log=$root/build/$preset.log
}

# Looks the subcommand up in subcommands.def, which names its program, the purpose of its packages, and the build that it
# needs.
choose_program() {
  local word name program_of purpose build_of
  target=sgemm_runner
  for word in "${arguments[@]}"; do
    [[ $word == -* ]] || break
  done
  while IFS=', ' read -r name program_of purpose build_of _; do
    [ "$name" = "${word:-}" ] || continue
    target=$program_of
    need_for "$purpose"
    case $preset in "$build_of" | "$build_of"-*) continue ;; esac  # sim-asan counts as sim
    [ "$build_of" != any ] || continue
    # Every machine can have the sim build, so the user need not ask for it.
    if [ "$build_of" = sim ] && [ -z "$asked_for_build" ]; then
      say "'$name' is about the simulated GPU: using the sim build"
      use_build sim
    else
      fail 2 "'$name' needs the $build_of build: say --build $build_of (this is the $preset build)"
    fi
  done < <(sed -n 's/^SUBCOMMAND(//p' "$root/src/runner/request/subcommands.def")
}

# --- one build at a time --------------------------------------------------------------------------------------------
#
# Two ninjas must not run in one folder, so a build holds the folder's lock. A build that waits takes the queue's lock first,
# and releases it when it has the folder's lock. A build that `yields` stops when another build waits, and then waits
# itself. The test suite's build yields, because it takes minutes. The other builds do not yield, so each of them finishes.

open_locks() { exec 9> "$build_folder.lock" 8> "$build_folder.queue"; }
try_lock() { ! somebody_waits && flock -n 9; }
wait_for_lock() {
  say "waiting for another build in $build_folder"
  interruptibly flock 8 && interruptibly flock 9 && exec 8>&-
}
unlock() { exec 8>&- 9>&-; }
somebody_waits() { ! flock -n -s "$build_folder.queue" true; }

# True if this user may write to the build folder. Without this right the user can still run an up-to-date program in it.
can_write() {
  local path
  mkdir -p "$build_folder" 2> /dev/null || return 1
  for path in "$root/build" "$build_folder" "$build_folder.lock" "$build_folder.queue" "$log"; do
    [ -w "$path" ] || [ ! -e "$path" ] || return 1
  done
}

# The time of a target's stamp file is the time at which its last build began. The target is up to date if no file of the
# source tree is newer.
stamp_of() { echo "$build_folder/built/$1"; }
newer_than() {
  local parts=(src cmake test bench CMakeLists.txt CMakePresets.json)
  (cd "$root" && find "${parts[@]}" -newer "$1" ! -name '__pycache__' ! -name '*.pyc' -print -quit 2> /dev/null)
}
is_up_to_date() { is_configured && is_of_these_sources "$1"; }
is_of_these_sources() {
  local stamp
  stamp=$(stamp_of "$1")
  [ -e "$stamp" ] && [ -z "$(newer_than "$stamp")" ]
}

# --- a copy for a class ---------------------------------------------------------------------------------------------
#
# `learn --pack` puts programs into the archive that are built for one family of processors. If they run on this machine,
# nothing is built. If they do not (another processor, another C library), the copy is built like any other tree.

# use_packed TARGET: true if TARGET came with this copy and runs on this machine. Installs the packages that the programs
# need.
use_packed() {
  [ "$(cat "$build_folder/packed_for" 2> /dev/null)" = "$(uname -m)" ] && is_of_these_sources "$1" || return 1
  packed_runs && return
  local packages=(${packages_for[packed]})
  ! draws || packages+=(${packages_for[plots]})
  mkdir -p "$root/build"
  [ -z "$(missing_packages)" ] || install_packages
  packed_runs && return
  # The version of fmt that the programs are linked with. Another distribution may not have it.
  packages=($(grep -aom1 'libfmt\.so\.[0-9]*' "$build_folder/bin/sgemm_runner" | sed 's/\.so\.//'))
  if [ ${#packages[@]} -gt 0 ] && apt-cache show "${packages[0]}" > /dev/null 2>&1 && [ -n "$(missing_packages)" ]; then
    install_packages
    packed_runs && return
  fi
  say "the programs of this copy do not run on this machine: building them"
  rm -f "$build_folder/packed_for"
  return 1
}
draws() { [[ " ${features[*]} " == *" SGEMM_BUILD_PLOTS "* ]]; }
packed_runs() {
  local command suffix
  suffix=$(find_clang)
  suffix=${suffix#clang++}
  for command in "clang++$suffix" "opt$suffix" "llc$suffix" g++ python3; do
    command -v "$command" > /dev/null || return 1
  done
  ! draws || python3 -c 'import matplotlib' 2> /dev/null || return 1
  "$build_folder/bin/sgemm_runner" --version > /dev/null 2>&1
}

# --- long steps -----------------------------------------------------------------------------------------------------
#
# cmake and ninja run in process groups of their own, so that this script can end all their processes at a signal or Ctrl-C.
# They do not inherit the locks, because a process left behind would hold the locks.

child=
interruptibly() {
  local code=0
  setsid "$@" &
  child=$!
  wait "$child" || code=$?
  child=
  return "$code"
}
end_child() {
  trap '' INT TERM HUP
  if [ -n "$child" ]; then
    kill -TERM -- "-$child" 2> /dev/null || :
    wait "$child" 2> /dev/null || :
  fi
  clear_line
  exit "$1"
}
trap 'end_child 130' INT
trap 'end_child 143' TERM
trap 'end_child 129' HUP

on_terminal() { [ -t 2 ]; }
clear_line() { ! on_terminal || printf '\r\033[K' >&2; }

# --- configuring ----------------------------------------------------------------------------------------------------

configure() {
  local options=()
  [ "$preset" != cuda ] || options+=("-DCMAKE_CUDA_COMPILER=$(find_nvcc)")
  is_for_this_gpu || options+=(-UCMAKE_CUDA_ARCHITECTURES)  # so that CMake chooses them anew for this GPU
  [ -e "$build_folder/CMakeCache.txt" ] || options+=(-DSGEMM_BUILD_TESTS=OFF)  # so that a first run needs no packages for the tests
  local feature clang
  for feature in "${features[@]}"; do options+=("-D$feature=ON"); done
  if [[ $preset == sim* && $preset != sim-aarch64 ]]; then
    clang=$(find_clang)
    [ "$clang" = clang++-19 ] || options+=("-DCMAKE_CXX_COMPILER=$clang")
  fi
  interruptibly cmake -S "$root" --preset "$preset" "${options[@]}" > "$log" 2>&1 < /dev/null 8>&- 9>&-
}

# cached NAME: prints the value of a variable in the build's CMake cache.
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build_folder/CMakeCache.txt" 2> /dev/null || :; }

# Prints the compute capabilities of this machine's GPUs in CMake's form, e.g. 90. Prints nothing if they are unknown.
gpus() { nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2> /dev/null | grep -oE '[0-9]+\.[0-9]+' | tr -d . | sort -u | paste -sd ';' || :; }

# True if the build is configured for this tree, for this machine's GPU, and with all `features`. A build folder that was
# copied or moved with its tree is still configured for the old tree.
is_configured() {
  local feature
  [ -s "$build_folder/build.ninja" ] && [ "$(cached CMAKE_HOME_DIRECTORY)" -ef "$root" ] || return 1
  for feature in "${features[@]}"; do
    [ "$(cached "$feature")" = ON ] || return 1
  done
  is_for_this_gpu
}
is_for_this_gpu() {
  local configured now
  configured=$(cached SGEMM_CONFIGURED_FOR_GPU)
  [ -n "$configured" ] || return 0
  now=$(gpus)
  [ -z "$now" ] || [ "$now" = "$configured" ]
}

# Removes a build folder that was configured for another source tree. Prints a message if the folder was configured for
# another GPU.
drop_foreign_build() {
  local home
  home=$(cached CMAKE_HOME_DIRECTORY)
  [ -n "$home" ] || return 0
  if ! [ "$home" -ef "$root" ]; then
    say "$build_folder holds a build of $home; starting anew"
    rm -rf "$build_folder"
  elif ! is_for_this_gpu; then
    say "$build_folder holds a build for compute capability $(cached SGEMM_CONFIGURED_FOR_GPU), and this GPU has $(gpus)"
  fi
}

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}\n' "$package" 2> /dev/null | grep -q '^install ok installed$' || echo "$package"
  done
}

# Prints the command that installs `packages` on Fedora, Arch or openSUSE; nothing on other systems.
install_line_elsewhere() {
  local manager column package names all=()
  for manager in "dnf install" "pacman -S --needed" "zypper install"; do
    command -v "${manager%% *}" > /dev/null || continue
    case $manager in dnf*) column=0 ;; pacman*) column=1 ;; *) column=2 ;; esac
    for package in "${packages[@]}"; do
      read -r -a names <<< "${names_elsewhere[$package]:-$package $package $package}"
      [ "${names[column]}" = - ] || all+=("${names[column]}")
    done
    echo "sudo $manager ${all[*]}"
    return
  done
}

# Installs the missing ones of `packages`, or prints the command that installs them.
install_packages() {
  if ! command -v apt-get > /dev/null; then
    local line
    line=$(install_line_elsewhere)
    [ -n "$line" ] || fail 2 "packages are missing: install what Debian calls ${packages[*]}"
    show_errors
    fail 2 "packages are missing; run this and try again: $line"
  fi
  local missing
  mapfile -t missing < <(missing_packages)
  if [ ${#missing[@]} -eq 0 ]; then
    show_errors
    fail 70 "cannot configure the build; see above"
  fi

  local line="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2> /dev/null || fail 2 "packages are missing; run this and try again: sudo sh -c '$line'"
    as_root=(sudo -n)
  fi
  say "installing ${missing[*]}"
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive sh -c "$line" > "$log" 2>&1 < /dev/null 8>&- 9>&-; then
    tail -n 20 "$log" >&2
    fail 2 "the installation failed; run this to see why: sudo sh -c '$line'"
  fi
}

# install_missing: installs the missing ones of `packages`, for two builds that run at once: only one can install.
install_missing() {
  command -v apt-get > /dev/null && [ -n "$(missing_packages)" ] || return 0
  mkdir -p "$root/build"
  local log=$root/build/packages.log
  : > "$log"
  install_packages
}

# make_python: makes a Python in build/python that has `python_packages`, unless it is there.
make_python() {
  local python=$root/build/python log=$root/build/python.log
  [ ! -e "$python/complete" ] || return 0
  mkdir -p "$root/build"
  say "installing $python_packages in build/python"
  rm -rf "$python"
  if ! { python3 -m venv "$python" && "$python/bin/python3" -m pip install --quiet $python_packages; } > "$log" 2>&1 < /dev/null; then
    tail -n 20 "$log" >&2
    fail 2 "the installation failed; see above"
  fi
  touch "$python/complete"
}

# need COMMAND...: installs the missing ones of `packages` if one of these commands is missing.
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

# Prints the errors of the build: the log without successful steps, without cmake's status lines, and without commands.
show_errors() {
  awk '/^FAILED: / { print; command = 1; next }
       command { command = 0; next }
       /^\[[0-9]+\/[0-9]+\] |^-- |^ninja: (Entering|Leaving|build stopped)/ { next }
       { print }' "$log" >&2
}

# run_ninja TARGET YIELDS: runs ninja. If there is work, prints the number of the current step: on a terminal at each step,
# elsewhere every 20 seconds. Returns 0 if the build succeeds, 1 if it fails, and 2 if it stopped because another build
# waits.
run_ninja() {
  local target=$1 yields=$2 line partial='' code announced=no regenerated=0 output stopped=no looked=$SECONDS
  local interval=${SGEMM_PROGRESS_SECONDS:-20} step=
  local next=$((SECONDS + interval))
  : > "$log"
  exec {output}< <(exec setsid ninja -C "$build_folder" -j "$(nproc)" "$target" 2>&1 < /dev/null 8>&- 9>&-)
  child=$!
  while :; do
    code=0
    IFS= read -r -t 1 -u "$output" line || code=$?
    line=$partial$line partial=
    if [ "$code" -gt 128 ]; then  # a second passed without a line
      partial=$line
    elif [ "$code" -ne 0 ]; then
      [ -z "$line" ] || printf '%s\n' "$line" >> "$log"
      break
    else
      printf '%s\n' "$line" >> "$log"
      [[ $line != *"Re-running CMake..."* ]] || regenerated=$((regenerated + 1))
      if [[ $line == \[*\]\ * && $line != \[0/* ]]; then
        [ $announced = yes ] || say "building $target in $build_folder"
        announced=yes
        step=${line%%]*}
        ! on_terminal || printf '\r\033[K%s' "$step]" >&2
      fi
    fi
    if [ $announced = yes ] && [ $SECONDS -ge $next ] && ! on_terminal; then
      say "building $target: step ${step#[}"
      next=$((SECONDS + interval))
    fi
    if [ $regenerated -gt 2 ]; then
      stopped=clock
    elif [ "$yields" = yes ] && [ $SECONDS != "$looked" ]; then
      looked=$SECONDS
      ! somebody_waits || stopped=yielded
    fi
    [ $stopped = no ] || kill -TERM -- "-$child" 2> /dev/null || :
  done
  code=0
  wait "$child" || code=$?
  child=
  exec {output}<&-
  [ $announced = no ] || clear_line
  case $stopped in
    clock) fail 2 "cmake runs again and again, because a file's time lies in the future: set the clock, or touch" \
      "$(from_the_future)" ;;
    yielded) [ $code -eq 0 ] || return 2 ;;
  esac
  [ $code -eq 0 ]
}

from_the_future() {
  local file
  file=$(find "$root" -path "$root/build" -prune -o -type f -newermt now -print -quit 2> /dev/null || :)
  echo "${file:-the files in $build_folder}"
}

# lack_of TARGET: prints the reason why the build folder has no up-to-date TARGET.
lack_of() {
  local stamp newer
  stamp=$(stamp_of "$1")
  if [ ! -e "$stamp" ]; then
    echo "$1 is not built there"
  elif newer=$(newer_than "$stamp") && [ -n "$newer" ]; then
    echo "its program is older than these sources ($newer is newer)"
  else
    echo "it holds a build for another folder or another GPU, or lacks a part that this command needs"
  fi
}

# build TARGET [yields]
build() {
  local target=$1 yields=${2:-no} code began
  ! use_packed "$target" || return 0
  if ! can_write; then
    is_up_to_date "$target" && return
    fail 2 "$build_folder cannot be written to, and $(lack_of "$target"). Ask its owner to build it, or copy the tree"
  fi
  open_locks
  while :; do
    if ! try_lock; then
      is_up_to_date "$target" && break  # the other build does not change this target
      wait_for_lock
    fi
    began=$(date +%s.%N)
    prepare
    code=0
    run_ninja "$target" "$yields" || code=$?
    case $code in
      0)
        mkdir -p "$build_folder/built" && touch -d "@$began" "$(stamp_of "$target")"
        break
        ;;
      2)
        say "making way for another build"
        unlock
        open_locks
        ;;
      *)
        show_errors
        grep -q '^FAILED: ' "$log" || say "if the reason is not clear: rm -rf $build_folder, and try again"
        fail 70 "the build failed; see above"
        ;;
    esac
  done
  unlock
}

# Configures the build, if need be.
prepare() {
  is_configured && return
  drop_foreign_build
  say "configuring the $preset build"
  mkdir -p "$build_folder"
  configure && return
  install_packages
  rm -rf "$build_folder/CMakeCache.txt" "$build_folder/CMakeFiles"  # the cache may still say that packages are missing
  configure || { show_errors; fail 70 "cannot configure the build; see above"; }
}
