// --html: a run as one HTML page. Python makes it (plots/report), from the run's JSON.
#pragma once

#include <string>

#include "app/output.hpp"
#include "results/values/run.hpp"

namespace runner {

class HtmlReport {
 public:
  /// Refuses a path that cannot be written before the work is done: Error(ExitCode::usage).
  explicit HtmlReport(const std::string& path) : file_(path) {}

  /// Makes the page and writes it, all of it or nothing. `data_name` is what the run is called when it is saved from the
  /// page. Throws Error: ExitCode::usage where Python has not what it needs, and says which package that is.
  void commit(const results::Run& run, const std::string& data_name);

 private:
  OutputFile file_;
};

}  // namespace runner
