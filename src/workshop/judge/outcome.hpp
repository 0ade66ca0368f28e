// The result of judging a learner's answer, as plain values.
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
  not_its_own,     // it includes a rung's source or calls a rung, so the ladder's code would run
  crashed,         // host code threw, or ended the process before its judge was done
  never_ends,      // a kernel or host code passed its time limit
  wrong_function,  // a function that the exercise tests by itself returns a wrong answer
  fault,           // an invalid access or another fault, or an error from a CUDA call
  wrong_result,
  hazard,           // the result is right today
  broken_contract,  // right at plain shapes, but not for all that BLAS allows
  broken_promise,   // right, but without the rung's idea
};

/// Returns the name that signs and JSON use: "wrong_result".
const char* name_of(Ending ending);
/// Returns the ending with this name; nothing if there is none.
std::optional<Ending> ending_named(const std::string& name);
std::vector<std::string> ending_names();

/// The simulated GPU's fault of a kernel that ended with an error. Empty on a device.
struct Fault {
  std::string kind{};    // "misaligned"
  std::string action{};  // "reads"
  std::string memory{};  // "shared"

  bool operator==(const Fault&) const = default;
};

struct Outcome {
  Ending ending = Ending::right;
  Fault fault{};
  std::string size{};    // "256x128x64": the product at which the answer failed
  bool strided = false;  // the product's matrices are parts of larger ones
  std::string
      again{};  // the options of `sgemm_runner` for the same product: "--size 66x36x40 --lda 43"
  std::string message{};          // the error, in lines; empty for a right answer
  std::string compiler_output{};  // the compiler's whole output
  std::vector<Cause> causes{};    // the causes of a wrong result, the most telling first
  std::string map{};              // the map of the wrong elements, in lines
  std::vector<results::Hazard> hazards{};
  std::string examined{};  // the answers of functions that are tested directly (examination.hpp)
  std::string remark{};    // the examination's remark on a right answer
  std::string contract_check{};                 // the name of the failed check
  std::vector<results::CheckedClaim> claims{};  // the promise's claims, with the counted values
  std::string worth{};     // a right answer's gain, in lines: counters and speed before and after
  std::string pictures{};  // the request that changed, before and after
  std::string printed{};   // the beginning of the file's own output to stdout and stderr
  double compile_seconds = 0, run_seconds = 0;
};

/// Returns " at 64x64x4096" for a claim with its own problem; otherwise empty.
std::string at_size(const results::CheckedClaim& claim);

}  // namespace workshop
