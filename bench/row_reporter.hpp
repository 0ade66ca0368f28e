// Google Benchmark's reports, with rows as the runner's JSON has them.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace bench {

/// The message of a benchmark that was not run. Its row is left out.
inline constexpr const char* NOT_RUN = "not run";

/// Skips a benchmark that cannot run and is not wrong, with the reason. (Google Benchmark 1.7 has errors only.)
template <typename State>
void skip(State& state, const std::string& why) {
  if constexpr (requires { state.SkipWithMessage(why); }) {
    state.SkipWithMessage(why);
  } else {
    state.SkipWithError(why.c_str());
  }
}

/// Receives the text of a report, piece by piece.
using Write = std::function<void(const std::string&)>;

/// Hands rows on to one of the library's reporters. A row is called `sgemm/02_coalesced/256x256x256`, without "iterations:1" and
/// "manual_time", which all rows would have. It has the measured time in place of the host thread's time, which says nothing about a
/// kernel. The reporter's output goes to `write` at once. Its remarks on the host go to `remark`, without the warnings about the
/// library's own timing, which is not used.
class RowReporter : public benchmark::BenchmarkReporter {
 public:
  /// When rows are handed on. A CSV has columns for the counters of the first rows only, so all rows must come at once.
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
  std::vector<Run> kept_;  // not handed on yet
  Write write_, remark_;
};

/// Returns a reporter to `write`, with remarks to stderr. `format` is the value of --benchmark_format.
std::unique_ptr<RowReporter> display_reporter(const std::string& format, Write write);
/// Returns a reporter to `write`, without remarks, for a file. `format`: "json", "csv" or "console".
std::unique_ptr<RowReporter> file_reporter(const std::string& format, Write write);

}  // namespace bench
