#include "runner/recorded.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "results/json.hpp"
#include "results/table.hpp"
#include "runner/error.hpp"
#include "runner/output.hpp"

namespace runner {

std::optional<results::Run> recorded_run(const std::string& file, bool asked_for) {
  const bool exists = access(file.c_str(), F_OK) == 0;
  if (!exists && !asked_for) return std::nullopt;
  try {
    results::Run recorded = results::read_run(file);
    if (results::has_recorded_figures(recorded)) return recorded;
    throw results::Unusable(fmt::format("'{}' cannot be used: it has no per cent of cuBLAS at {}",
                                        file, results::RECORDED_SIZE));
  } catch (const results::Unusable& error) {
    const std::string message =
        fmt::format("baseline {}; it must be what --json=FILE wrote on a GPU", error.what());
    if (asked_for) throw Error(ExitCode::usage, message);
    warn(message);
    return std::nullopt;
  }
}

}  // namespace runner
