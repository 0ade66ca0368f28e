# Runs a slice of the suite as another processor would: in an emulator, or at a level of vector instructions that
# SIMULATOR_LEVEL names. .ci/processors and .ci/aarch64 source this file after cmake/setup.sh.

# The programs of the slice. They cover the runtime, every instruction and every rung, and take half a minute in an emulator.
slice=(prices_test simulator_interpreter simulator_fault simulator_golden_counters simulator_runtime)
slice_of_kernels='Ladder/Contract.IsKept/alpha_and_beta_*'

# run_slice BIN COMMAND...: runs each test program in BIN as COMMAND... PROGRAM. If one fails, prints its output. Leaves out
# the emulator's warnings (TCG) that the emulated processor lacks features of the host's.
run_slice() {
  local bin=$1 tested log
  shift
  log=$(mktemp)
  for tested in "${slice[@]}" kernels_test; do
    local filter='*'
    [ "$tested" != kernels_test ] || filter=$slice_of_kernels
    if ! "$@" "$bin/$tested" --gtest_brief=1 --gtest_filter="$filter" > "$log" 2>&1; then
      grep -v '^qemu-.*: warning: TCG' "$log" >&2
      fail 1 "$tested failed under: $*"
    fi
    ! grep -q '^\[==========\] 0 tests' "$log" || fail 1 "no test of $tested is called $filter"
  done
  rm -f "$log"
}

# write_figures FILE BIN COMMAND...: writes the counters of every rung and the checksums of results into FILE. Leaves out
# the figures that depend on the host: dates, times, the command, the size of the memory, and the rounding errors of
# rung 0, which the host computes.
write_figures() {
  local file=$1 bin=$2
  shift 2
  {
    "$@" "$bin/sgemm_runner" all --size 64,65x63x61 --json | python3 -c '
import json, sys
run = json.load(sys.stdin)
for key in "date", "command_line", "memory_bytes": del run["context"][key]
for row in run["benchmarks"]:
    del row["date"]
    row.pop("simulation_seconds", None)
    if row["kernel_id"] == 0:
        for key in "max_abs_error", "error_over_bound": del row[key]
json.dump(run, sys.stdout, indent=1)
print()' &&
      "$@" "$bin/result_bits"
  } > "$file" 2> "$file.stderr" || {
    grep -v '^qemu-.*: warning: TCG' "$file.stderr" >&2
    fail 1 "no figures under: $*"
  }
}

# same_figures FILE OTHER: if the files differ in any byte, prints the first differences and fails.
same_figures() {
  diff "$1" "$2" > "$2.diff" && return
  head -n 20 "$2.diff" >&2
  fail 1 "$2 differs from $1; see $2.diff"
}

# check_memory BIN COMMAND...: fails if addresses that are only reserved take up memory. An emulator keeps a record of each
# page, which takes about 7 MiB for each GiB.
check_memory() {
  local bin=$1 peak
  shift
  peak=$(SIMULATOR_MEMORY=8G "$@" "$bin/sparse_memory" 2 2> /dev/null | sed -n 's/^peak //p')
  [ "${peak:-1000}" -lt 200 ] || fail 1 "6 GiB of untouched memory cost ${peak:-?} MiB under: $*"
}
