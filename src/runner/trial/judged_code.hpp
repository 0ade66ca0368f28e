// Guards calls into untrusted code.
#pragma once

#include <string>

#include "app/error.hpp"
#include "kernels/ladder.hpp"

namespace runner {

/// An exception that left a kernel's host code, which should return a cudaError_t.
class Threw : public Error {
 public:
  explicit Threw(const std::string& what) : Error(ExitCode::wrong, "its host code threw " + what) {}
};

/// Returns the rung with guards around its functions: an exception of launch() becomes Threw (std::bad_alloc and our
/// own Error pass), and path() returns a short printable text. The copy lives as long as the program. Throws
/// Error(ExitCode::usage) if there are too many rungs.
const ladder::Rung& guarded(const ladder::Rung& rung);

/// Returns the last problem that a guarded rung got: "4096x1x0, lda 1, ldb 1, ldc 1, alpha 1, beta 0". Empty before the
/// first.
std::string last_problem();

}  // namespace runner
