// What became of a learner's answer: plain values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/values/run.hpp"
#include "workshop/diagnose/diagnosis.hpp"

namespace workshop {

/// The first check that the answer failed, or `right`.
enum class Ending {
  right,
  does_not_compile,
  not_its_own,     // what would run is the ladder's code: it includes a rung's source, or calls one
  crashed,         // host code: it threw, or its process ended before its judge had done
  never_ends,      // a kernel, or host code, took longer than it may
  wrong_function,  // a function that the exercise asks directly answers wrongly
  fault,  // an access beyond its memory and the like, or an error that a CUDA call returned
  wrong_result,
  hazard,           // the result is right today
  broken_contract,  // it is right at plain shapes, and not for all that BLAS allows
  broken_promise,   // it is right, but the idea is missing
};

/// "wrong_result", as signs and JSON have it.
const char* name_of(Ending ending);
/// Nothing if none is called that.
std::optional<Ending> ending_named(const std::string& name);
std::vector<std::string> ending_names();

/// Of an answer whose kernel ended with an error, as the simulated GPU has it. Empty where a device ran it.
struct Fault {
  std::string kind{};    // "misaligned"
  std::string action{};  // "reads"
  std::string memory{};  // "shared"

  bool operator==(const Fault&) const = default;
};

struct Outcome {
  Ending ending = Ending::right;
  Fault fault{};
  std::string size{};    // "256x128x64": of the product at which the answer failed
  bool strided = false;  // its matrices are parts of larger ones
  std::string again{};  // the options of `sgemm_runner` that ask for it: "--size 66x36x40 --lda 43"
  std::string message{};          // what is wrong, in lines; empty where nothing is
  std::string compiler_output{};  // all that the compiler said
  std::vector<Cause> causes{};    // of a wrong result, the most telling first
  std::string map{};              // of the wrong elements, in lines
  std::vector<results::Hazard> hazards{};
  std::string examined{};  // what the functions answered that are asked directly (examination.hpp)
  std::string remark{};    // what the examination says of a right answer
  std::string contract_check{};                 // the one that is not kept
  std::vector<results::CheckedClaim> claims{};  // what is promised and what was counted
  std::string worth{};     // of a right answer, in lines: counters and speed before and after
  std::string pictures{};  // and the request that changed, before and after
  std::string printed{};   // what the file itself wrote to stdout and stderr, its beginning
  double compile_seconds = 0, run_seconds = 0;
};

/// " at 64x64x4096" of a claim that has a size of its own; otherwise empty.
std::string at_size(const results::CheckedClaim& claim);

}  // namespace workshop
