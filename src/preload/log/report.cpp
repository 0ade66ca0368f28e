#include "preload/log/report.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <tuple>

#include "results/files/json.hpp"
#include "results/values/date.hpp"
#include "text/foreign.hpp"
#include "text/table.hpp"

namespace preload {
namespace {

using results::LoggedCalls;

// "N T": the operations on A and B, as BLAS spells them.
std::string operations_of(const LoggedCalls& one) {
  return fmt::format("{}{}", one.transposes_a ? 'T' : 'N', one.transposes_b ? 'T' : 'N');
}

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(text::plain_line(word));
  return words;
}

results::Provenance provenance() {
  results::Provenance from{.machine = SGEMM_MACHINE_OF_PRELOAD,
                           .date = results::utc_now(),
                           .program = "libsgemm_ladder_cublas " SGEMM_VERSION,
                           .command_line = command_line()};
  int id = 0;
  cudaDeviceProp properties{};
  if (cudaGetDevice(&id) == cudaSuccess &&
      cudaGetDeviceProperties(&properties, id) == cudaSuccess) {
    from.device = properties.name;
    from.device_detail = fmt::format("sm_{}{}", properties.major, properties.minor);
    from.multiprocessors = properties.multiProcessorCount;
    from.memory_bytes = static_cast<int64_t>(properties.totalGlobalMem);
  }
  return from;
}

// Writes a file beside the old one and puts it in its place. Returns the reason if it fails.
std::optional<std::string> write_file(const std::string& name, const std::string& text) {
  const std::string aside = fmt::format("{}.{}", name, getpid());
  std::ofstream file(aside, std::ios::binary);
  file << text << std::flush;
  file.close();
  if (file.good() && std::rename(aside.c_str(), name.c_str()) == 0) return std::nullopt;
  std::string reason = std::strerror(errno);
  static_cast<void>(std::remove(aside.c_str()));
  return reason;
}

std::string with_process(std::string name) {
  if (const size_t at = name.find("%p"); at != std::string::npos)
    name.replace(at, 2, std::to_string(getpid()));
  return name;
}

}  // namespace

LoggedCalls calls_of(const LoggedShape& shape, const LoggedTotals& totals) {
  LoggedCalls calls{.entry = shape.entry,
                    .M = shape.m,
                    .N = shape.n,
                    .K = shape.k,
                    .transposes_a = shape.transposes_a,
                    .transposes_b = shape.transposes_b,
                    .batch = shape.batch,
                    .outcome = text_of(shape.verdict),
                    .calls = totals.calls,
                    .timed = totals.timed};
  if (totals.timed > 0) calls.ms = totals.ms;
  return calls;
}

std::string table_of(const std::vector<LoggedCalls>& calls) {
  using text::Align;
  text::Table table({{.heading = "function", .align = Align::left, .gap = 0},
                     {.heading = "ops", .align = Align::left},
                     {.heading = "m"},
                     {.heading = "n"},
                     {.heading = "k"},
                     {.heading = "batch"},
                     {.heading = "calls"},
                     {.heading = "ms on the GPU"},
                     {.heading = "outcome", .align = Align::left}},
                    text::Page{});
  std::vector<text::Table::Row> rows;
  int64_t all = 0, answered = 0;
  double ms = 0;
  for (const LoggedCalls& one : calls) {
    all += one.calls;
    if (one.outcome == text_of(Verdict::answered)) answered += one.calls;
    ms += one.ms.value_or(0);
    rows.push_back({{one.entry},
                    {operations_of(one)},
                    {std::to_string(one.M)},
                    {std::to_string(one.N)},
                    {std::to_string(one.K)},
                    {std::to_string(one.batch)},
                    {std::to_string(one.calls)},
                    {one.ms ? fmt::format("{:.3f}", *one.ms) : "-"},
                    {one.outcome}});
    table.make_room_for(rows.back());
  }
  std::string text = table.headings();
  for (const text::Table::Row& row : rows) text += table.line(row);
  return text + fmt::format("{} calls, {} answered in {:.3f} ms on the GPU\n", all, answered, ms);
}

void report(std::vector<LoggedCalls> calls, const std::string& file) {
  std::ranges::sort(calls, {}, [](const LoggedCalls& one) {
    return std::tuple(-one.calls, one.entry, one.M, one.N, one.K, one.outcome);
  });
  if (file.empty()) {
    std::fputs(table_of(calls).c_str(), stderr);
    return;
  }
  results::Run run{.from = provenance()};
  run.calls = std::move(calls);
  const std::string name = with_process(file);
  if (const auto reason = write_file(name, results::to_json(run)); reason)
    fmt::print(stderr, "libsgemm_ladder_cublas.so: cannot write {}: {}\n", name, *reason);
}

}  // namespace preload
