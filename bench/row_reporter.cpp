#include "bench/row_reporter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/output.hpp"
#include "text/page.hpp"

namespace bench {
namespace {

using Run = benchmark::BenchmarkReporter::Run;

// The library adds this to each name, since each benchmark is one iteration whose time we give.
constexpr std::string_view ADDED = "/iterations:1/manual_time";

// Returns why a run was skipped; empty if it was not. Google Benchmark 1.7 calls the field error_message.
template <typename AnyRun>
const std::string& why_skipped(const AnyRun& run) {
  if constexpr (requires { run.skip_message; }) {
    return run.skip_message;
  } else {
    return run.error_message;
  }
}

RowReporter::Rows when_in(const std::string& format) {
  return format == "csv" ? RowReporter::Rows::all_at_the_end : RowReporter::Rows::as_they_come;
}

}  // namespace

RowReporter::RowReporter(std::unique_ptr<benchmark::BenchmarkReporter> inner, Rows when,
                         Write write, Write remark)
    : inner_(std::move(inner)), when_(when), write_(std::move(write)), remark_(std::move(remark)) {
  inner_->SetOutputStream(&text_);
  inner_->SetErrorStream(&remarks_);
}

bool RowReporter::ReportContext(const Context& context) {
  Context shorter = context;
  shorter.name_field_width -= std::min(shorter.name_field_width, ADDED.size());
  const bool go_on = inner_->ReportContext(shorter);
  flush();
  return go_on;
}

void RowReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (why_skipped(run) == NOT_RUN) continue;
    Run& row = kept_.emplace_back(run);
    row.run_name.iterations.clear();
    row.run_name.time_type.clear();
    row.cpu_accumulated_time = row.real_accumulated_time;
  }
  if (when_ == Rows::as_they_come) hand_on();
}

void RowReporter::Finalize() {
  hand_on();
  inner_->Finalize();
  flush();
}

void RowReporter::hand_on() {
  if (kept_.empty()) return;
  inner_->ReportRuns(std::exchange(kept_, {}));
  flush();
}

void RowReporter::flush() {
  const std::string text = text_.str();
  text_.str("");
  if (!text.empty()) write_(text);
  const std::string remarks = remarks_.str();
  remarks_.str("");
  for (const std::string_view line : text::lines_of(remarks)) {
    if (!line.starts_with("***WARNING***")) remark_(fmt::format("{}\n", line));
  }
}

std::unique_ptr<RowReporter> display_reporter(const std::string& format, Write write) {
  return std::make_unique<RowReporter>(
      std::unique_ptr<benchmark::BenchmarkReporter>(benchmark::CreateDefaultDisplayReporter()),
      when_in(format), std::move(write), runner::write_stderr);
}

std::unique_ptr<RowReporter> file_reporter(const std::string& format, Write write) {
  std::unique_ptr<benchmark::BenchmarkReporter> inner;
  if (format == "csv") {
    BENCHMARK_DISABLE_DEPRECATED_WARNING  // to be removed one day; until then it is one of the formats
        inner = std::make_unique<benchmark::CSVReporter>();
    BENCHMARK_RESTORE_DEPRECATED_WARNING
  } else if (format == "console") {
    inner = std::make_unique<benchmark::ConsoleReporter>(benchmark::ConsoleReporter::OO_None);
  } else {
    inner = std::make_unique<benchmark::JSONReporter>();
  }
  return std::make_unique<RowReporter>(std::move(inner), when_in(format), std::move(write),
                                       [](const std::string&) {});
}

}  // namespace bench
