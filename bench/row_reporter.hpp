// Google Benchmark's reports, with rows as the runner's JSON has them.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace bench {

/// What a benchmark that was not run says in place of a result; such rows are left out.
inline constexpr const char* NOT_RUN = "not run";

/// Skips a benchmark that cannot run and is not wrong, with the reason. (Google Benchmark 1.7 knows errors only, later ones both.)
template <typename State>
void skip(State& state, const std::string& why) {
  if constexpr (requires { state.SkipWithMessage(why); }) {
    state.SkipWithMessage(why);
  } else {
    state.SkipWithError(why.c_str());
  }
}

/// Takes a text as it comes.
using Write = std::function<void(const std::string&)>;

/// Hands rows on to one of the library's reporters. A row is called `sgemm/02_coalesced/256x256x256`, without "iterations:1" and
/// "manual_time", which all rows would have. It has the measured time in place of the host thread's, which says nothing about a
/// kernel. The reporter's output goes to `write` at once. Its remarks on the host go to `remark`, without the warnings about the
/// library's own timing, which is not used.
class RowReporter : public benchmark::BenchmarkReporter {
 public:
  /// When rows are handed on. The columns of a CSV are the counters of those that come first, so all must.
  enum class Rows { as_they_come, all_at_the_end };

  RowReporter(std::unique_ptr<benchmark::BenchmarkReporter> inner, Rows when, Write write,
              Write remark);

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  void hand_on();
  void flush();

  std::ostringstream text_, remarks_;
  std::unique_ptr<benchmark::BenchmarkReporter> inner_;
  Rows when_;
  std::vector<Run> kept_;  // for the end
  Write write_, remark_;
};

/// What goes to stdout, and remarks to stderr, by --benchmark_format; `format` is its value.
std::unique_ptr<RowReporter> display_reporter(const std::string& format, Write write);
/// What goes to a file, without remarks: "json", "csv" or "console".
std::unique_ptr<RowReporter> file_reporter(const std::string& format, Write write);

}  // namespace bench
