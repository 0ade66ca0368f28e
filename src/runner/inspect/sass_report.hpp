// `sass`: summarises the machine code of the kernels that rungs and labs launch.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runner/choose/workload.hpp"
#include "runner/inspect/sass.hpp"
#include "text/page.hpp"

namespace runner {

/// A kernel of a workload.
struct SassEntry {
  std::string subject{};     // "sgemm/06_vector_float4", "lab/copy_stride/8"
  bool is_promised = false;  // the promise covers it: it is not a fallback
  SassSummary summary{};
  bool operator==(const SassEntry&) const = default;
};

struct SassReport {
  std::string date{};                   // ISO 8601
  std::string toolkit{};                // "cuobjdump 13.0.88"
  std::optional<std::string> commit{};  // of the sources
  std::vector<SassEntry> entries{};
  bool operator==(const SassReport&) const = default;
};

/// Returns the name of a workload at any size: "sgemm/06_vector_float4", "lab/copy_stride/8".
std::string sass_name(const Workload& workload);

/// Returns the kernels that the workload launched in a run, at any size: their names, and true if the promise was
/// checked on one of these launches.
std::vector<std::pair<std::string, bool>> kernels_of(const Workload& workload,
                                                     const results::Run& run);

/// Reads a program's machine code with cuobjdump. `run` says which kernels the workloads launch. Throws Error.
SassReport sass_report(const std::vector<Workload>& workloads, const results::Run& run,
                       const std::string& cuobjdump, const std::string& program);

std::string to_json(const SassReport& report);
/// Reads a recorded report. Throws Error(ExitCode::failure) that names the file.
SassReport read_sass_report(const std::string& path);

/// A promise's width of loads, checked against the code: buffers, bytes a lane, and the access or nullptr.
struct WidthVerdict {
  std::string buffers{};  // "A, B"
  int bytes = 0;
  const SassAccess* access = nullptr;
};
/// `all`: the entries of the report. If a workload launches several kernels, one of them with such loads is enough: the others
/// read other memory, or only in cases that the promise does not cover.
std::vector<WidthVerdict> width_verdicts(const Workload& workload, const SassEntry& entry,
                                         std::span<const SassEntry> all = {});

std::string sass_text(const Workload& workload, const SassEntry& entry, const text::Page& page,
                      std::span<const SassEntry> all = {});

}  // namespace runner
