// A run as plain values: its kernels, its measurements, its verdicts. A run made now and one read from a file are equal.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/values/acceptance.hpp"
#include "results/values/compared.hpp"
#include "results/values/distributed.hpp"
#include "results/values/problem.hpp"

namespace results {

enum class Machine { simulator, cuda };

/// The device's measured limits, in this run.
struct Roofs {
  std::optional<double>
      copy_gbytes_per_second{};         // a device-to-device copy, bytes read and bytes written
  std::optional<double> fp32_gflops{};  // from a kernel of multiply-adds only
  bool operator==(const Roofs&) const = default;
};

/// A run's origin, and the facts that decide if two runs can be compared. An unknown fact is empty.
struct Provenance {
  Machine machine = Machine::simulator;
  std::string date{};     // ISO 8601, when the run began
  std::string program{};  // "sgemm_runner 0.1.0"
  std::optional<std::string> commit{};
  std::optional<bool> uncommitted_changes{};
  std::vector<std::string> command_line{};

  std::string device{};         // "NVIDIA H200"
  std::string device_detail{};  // "sm_90"
  std::optional<int> multiprocessors{};
  std::optional<int64_t> memory_bytes{};
  std::optional<std::string> driver{};
  std::optional<std::string> cuda{};    // version of the runtime
  std::optional<std::string> cublas{};  // version of the library
  std::optional<double> power_limit_watts{};
  std::optional<double> clock_limit_mhz{};  // highest allowed multiprocessor clock
  std::optional<bool> ecc{};
  std::optional<uint64_t>
      schedule{};  // on the simulated GPU: the seed of the order of warps and blocks
  Roofs roofs{};
  bool operator==(const Provenance&) const = default;
};

/// The kernel of a result: a rung, a lab's variant, an exercise, a stranger's kernel.
struct Identity {
  std::string set{};  // "sgemm" for the ladder, "lab", "kernel" for a file of the user's
  std::optional<int> number{};
  std::string name{};     // "coalesced"
  std::string variant{};  // of a lab; otherwise empty
  std::vector<std::pair<std::string, int64_t>> parameters{};
  bool operator==(const Identity&) const = default;
};

// ---- Observations of a machine. They are facts and no judgements.

/// One count of a launch. `key` is one of counts.hpp. It counts the accesses to one buffer ("A"), or all if the count
/// belongs to no buffer.
struct Count {
  std::string key{};
  std::string buffer{};
  uint64_t value = 0;
  bool operator==(const Count&) const = default;
};

/// The memory traffic of a launch, counted by the simulated GPU.
struct Traffic {
  std::vector<Count> counts{};
  double simulation_seconds = 0;  // wall time of the simulation; says nothing about a GPU
  bool operator==(const Traffic&) const = default;

  /// Returns the count of one buffer, or the sum over all if `buffer` is empty. Nothing if `key` was not counted.
  std::optional<double> count(std::string_view key, std::string_view buffer = {}) const;
};

/// Options of a timing.
struct MeasureOptions {
  bool cold = false;             // flush L2 before every launch
  bool once = false;             // one launch, no warm-up: for a profiler
  bool no_graph = false;         // the host launches each kernel alone, and its time counts, too
  bool energy = false;           // also measure the energy of a launch, a second for each kernel
  double seconds = 2.0;          // longest time for a kernel's samples, the reference's included
  int samples = 200;             // most samples of a kernel
  double target_spread = 0.002;  // stop once the median's relative error is this small
  bool operator==(const MeasureOptions&) const = default;
};

/// Names of slowdowns in Timing::slowdowns. A healthy GPU in a healthy machine has none of these.
namespace slowdowns {
inline constexpr const char* HARDWARE = "hardware slowdown";
inline constexpr const char* THERMAL = "thermal slowdown";
inline constexpr const char* POWER_BRAKE = "external power brake";
inline constexpr std::array FAULTS = {HARDWARE, THERMAL, POWER_BRAKE};
}  // namespace slowdowns

/// Times of one kernel, beside the reference in the same run. Each is the time of one launch.
struct Timing {
  MeasureOptions options{};
  std::vector<double> samples_ms{};
  /// Each sample was taken right after a sample of the kernel; empty without a reference.
  std::vector<double> reference_samples_ms{};
  /// The number of samples of each run of the program, if several runs were put together; empty for one run. The samples
  /// are ordered by run.
  std::vector<int> samples_of_runs{};
  /// The start of each sample, in seconds since the run's first sample, and the multiprocessors' clock at that time, 0
  /// if unknown. Both are empty or as long as samples_ms.
  std::vector<double> sample_seconds{}, sample_clocks_mhz{};
  bool is_reference = false;
  /// True if the reference is a device-to-device copy of Result::useful_bytes, half of them read, and not cuBLAS's
  /// product.
  bool is_against_copy = false;
  int launches_per_sample = 1;
  bool steady = true;  // neither times nor clock were changing when the samples began
  std::vector<double>
      clocks_mhz{};  // lowest, median and highest while the samples were taken; empty if unknown
  std::optional<double>
      reference_clock_mhz{};  // the median while the reference's samples were taken
  /// The energy of one launch of the kernel, and of the reference, each measured alone. From the whole device's counter.
  std::optional<double> joules{}, reference_joules{};
  /// For a rung that multiplies FP16 parts: a share of the rate of cuBLAS's FP16 product of the same size, because it takes
  /// several FP16 products to make one of its own.
  std::optional<double> fp16_roof_gflops{};
  std::vector<std::string> slowdowns{};      // reasons for a lower clock meanwhile, each once
  std::optional<double> fp32_peak_gflops{};  // of the device at the median clock
  bool operator==(const Timing&) const = default;
};

/// A launched kernel and its use of a multiprocessor.
struct Kernel {
  std::string name{};
  std::array<int64_t, 3> grid{}, block{};
  std::optional<int> registers{};         // of a thread
  std::optional<int64_t> shared_bytes{};  // of a block
  std::optional<int> blocks_per_multiprocessor{};
  bool operator==(const Kernel&) const = default;
};

/// One source line's accesses to one buffer.
struct Line {
  std::string file{};
  int line = 0;
  std::string instruction{};  // "ld.global.f32"
  std::string buffer{};
  uint32_t bytes_per_lane = 0;
  uint64_t requests = 0;
  uint64_t lanes = 0;       // over all requests
  uint64_t bytes_used = 0;  // distinct bytes asked for, a request at a time
  uint64_t sectors = 0, lines = 0, wavefronts = 0, bank_conflicts = 0;
  bool operator==(const Line&) const = default;
};

/// An error that the result may not show. Reported once for each pair of lines.
struct Hazard {
  std::string kind{};     // "race"
  std::string message{};  // for people: the event, then lines with its place and a remedy
  std::string kernel{};   // empty if only host code is concerned
  std::vector<std::string> lines{};  // "tiled.cu:21": one or two; instructions if no line is known
  uint64_t times = 1;                // number of sightings; the message is of the first
  bool operator==(const Hazard&) const = default;

  /// True if both are the same hazard: the same kind, kernel and lines.
  bool is_same(const Hazard& other) const {
    return kind == other.kind && kernel == other.kernel && lines == other.lines;
  }
};

/// Adds hazards to `known`. For a hazard that is already there, adds only its number of sightings.
void add_hazards(const std::vector<Hazard>& found, std::vector<Hazard>& known);

/// What a product's kernel left to FP64 because of its data.
struct LeftToFP64 {
  int64_t rows = 0, cols = 0, bands = 0;  // of C: whole rows, whole columns, pieces
  double share = 0;                       // of C's elements, at most
  bool operator==(const LeftToFP64&) const = default;
};

struct Observation {
  std::vector<Kernel> kernels{};  // in the order of their launches
  std::optional<Traffic> traffic{};
  std::optional<Timing> timing{};
  std::vector<Line> lines{};
  bool looked_for_hazards = false;  // in every launch of the result, not only in the counted one
  std::vector<Hazard> hazards{};
  std::optional<LeftToFP64> left_to_fp64{};  // with -v, of a rung that can tell
  bool operator==(const Observation&) const = default;
};

// ---- Judgements of the program.

/// One wrong element.
struct Mismatch {
  int64_t row = 0, col = 0;
  float got = 0;
  double want = 0;
  double bound = 0;
  bool of_integers = false;  // found by the verifier's second pass; the first uses real numbers
  std::string pattern{};     // of all wrong elements, in a clause; empty if not all were compared
  std::optional<int64_t> product{};  // of a batch
};

/// One claim of a promise and its counted value. A claim without a counted value is not kept.
struct CheckedClaim {
  std::string counter{};   // the key of a metric
  std::string size{};      // of an exercise's claim: "64x64x4096", "64x64x1024, positive data"
  std::string buffer{};    // empty for the whole launch
  std::string relation{};  // "=", "<=" or ">="
  double value = 0;
  std::optional<double> counted{};
  bool kept = false;
  bool operator==(const CheckedClaim&) const = default;
};

/// A check of BLAS's contract that the kernel fails.
struct BrokenCheck {
  std::string name{};
  std::string complaint{};
  bool operator==(const BrokenCheck&) const = default;
};

/// The errors of a product against FP64, beside the reference's errors on the same data. Elements whose exact value, or a sum on the way
/// to it, may be beyond FP32's range stay out of them.
struct Errors {
  std::optional<double> frobenius{};  // sqrt(sum error^2) / sqrt(sum value^2); nothing if all are 0
  std::optional<double> largest{};    // of |error| / (|alpha| |A||B| + |beta| |C|)
  std::optional<double> reference_frobenius{}, reference_largest{};
  /// Elements that are infinite or NaN although the exact value is not, or are not although it is.
  int64_t wrong_infinities = 0, reference_wrong_infinities = 0;
  /// The largest errors that the rung promises. The reference's error is the limit if it is larger. Nothing if the rung
  /// promises no limit.
  std::optional<double> frobenius_floor{}, largest_floor{};
  /// If there, only this share of the reference's Frobenius error is the limit, not all of it.
  std::optional<double> frobenius_share{};
  bool operator==(const Errors&) const = default;
};

struct Judgement {
  bool correct = false;
  std::string
      error{};  // CUDA's name of the error that the launch or its execution returned; else empty
  std::string complaint{};                   // the error, in a sentence; empty if correct
  std::string failure{};                     // the machine's own message: several lines, or nothing
  std::optional<Mismatch> first_mismatch{};  // in the order of rows
  int64_t compared = 0;                      // elements that the pass over reals compared
  double max_abs_error = 0;                  // over the compared elements
  double error_over_bound = 0;               // over the compared elements; at most 1 if correct
  std::optional<Errors> errors{};            // if they were asked for
  std::vector<CheckedClaim> claims{};        // of the promise, if it covers the problem
  std::vector<BrokenCheck> contract{};       // failed checks, if the whole contract was asked
  int contract_checks = 0;                   // number of checks made
  std::vector<std::string> doubts{};         // reasons not to trust the measurement

  bool promise_kept() const {
    for (const CheckedClaim& claim : claims) {
      if (!claim.kept) return false;
    }
    return true;
  }
  bool trusted() const { return doubts.empty(); }
};

// ---- Results of a comparison with another run: compared.hpp, compare/comparison.hpp.

/// The other run of a comparison.
struct ComparedWith {
  std::string file{};
  std::string date{};
  std::optional<std::string> commit{};
  std::vector<std::string> notes{};  // differing facts that decide nothing; rows without a partner
  bool operator==(const ComparedWith&) const = default;
};

/// A rung that `best` may choose, and the time that it expects of it.
struct ExpectedRung {
  int number = 0;
  std::string name{};
  double us = 0;
  bool operator==(const ExpectedRung&) const = default;
};
/// Returns "16 tensor_fp32 in 657 us; 12 stream_k in 2650 us".
std::string text_of(const std::vector<ExpectedRung>& expected);

/// One kernel on one problem, or with its parameters.
struct Result {
  Identity who{};
  std::optional<Problem> problem{};
  /// The kernel's arithmetic if it is less accurate than FP32: "TF32"; otherwise empty. Tables and notes name it.
  std::string below_fp32{};
  /// For a lab: the least bytes that any kernel with this result must read and write.
  std::optional<int64_t> useful_bytes{};
  std::string idea{};     // how a lab variant's lanes walk, in a line; empty for a riddle
  std::string refusal{};  // the reason why the kernel did not run, in a clause; empty if it ran
  std::string path{};     // the code path that ran, if the kernel has several
  /// Of `best`: the rungs to choose from, the chosen one first.
  std::vector<ExpectedRung> expected{};
  std::string date{};  // ISO 8601; a file may hold results of several days
  Observation seen{};
  Judgement judged{};
  std::optional<Compared> compared{};

  /// True if the result is right. A variant that refuses its sizes is not wrong.
  bool is_right() const {
    if (!refusal.empty()) return true;
    return judged.correct && judged.promise_kept() && judged.contract.empty() &&
           seen.hazards.empty();
  }
};

/// A lab's question and answer.
struct Lesson {
  std::string lab{};       // Identity::name of its variants
  std::string question{};  // one line
  std::string answer{};    // a few sentences; empty for a riddle that was not revealed
  bool operator==(const Lesson&) const = default;
};

/// Calls of cuBLAS that a program made through the preloaded library (docs/preload.md): all of one function, shape and fate. They are not
/// judged.
struct LoggedCalls {
  std::string entry{};  // "cublasSgemm_v2"
  int64_t M = 0, N = 0, K = 0;
  bool transposes_a = false, transposes_b = false;
  int64_t batch = 1;
  std::string outcome{};  // "answered", or why cuBLAS got the calls
  int64_t calls = 0;
  int64_t timed = 0;           // of the answered calls
  std::optional<double> ms{};  // that the timed calls took on the GPU, all together
  bool operator==(const LoggedCalls&) const = default;
};

struct Run {
  Provenance from{};
  std::optional<ComparedWith> compared_with{};
  std::vector<Lesson> lessons{};     // of the labs among the results, without repetition
  std::vector<LoggedCalls> calls{};  // of a program with the preloaded library; it has no results
  std::vector<DistributedProduct> distributed{};  // of sgemm_distributed; it has no results
  std::vector<JudgedGpu> acceptance{};            // of sgemm_acceptance; it has no results
  std::vector<Result> results{};
};

bool is_of_a_lab(const Result& result);

/// Returns "02_coalesced", or "coalesced" if there is no number.
std::string label(const Identity& who);
/// Returns "2 coalesced", or "copy_stride/8" for a lab's variant, for readers.
std::string spoken_name(const Identity& who);
/// Returns the sizes of a lab's variant, for readers: "elements 16384", "batch 8, dim 768".
std::string sizes_of(const Identity& who);
/// Returns "sgemm/02_coalesced/4096x4096x4096", unique within a run. Data other than uniform is named:
/// ".../data=normal"; transposes and batches likewise: ".../trans_a/batch=64".
std::string full_name(const Result& result);

}  // namespace results
