// --html: makes a run's HTML page. Python renders it (plots/report) from the run's JSON.
#pragma once

#include <string>

#include "app/output.hpp"
#include "results/values/run.hpp"

namespace runner {

class HtmlReport {
 public:
  /// Throws Error(ExitCode::usage) at once for a path that cannot be written, before any work.
  explicit HtmlReport(const std::string& path) : file_(path) {}

  /// Makes the page and writes it whole or not at all. `data_name` is the file name for saving the run from the page. Throws
  /// Error; ExitCode::usage if Python lacks a package, which the message names.
  void commit(const results::Run& run, const std::string& data_name);

 private:
  OutputFile file_;
};

}  // namespace runner
