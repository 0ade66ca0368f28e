#include "runner/inspect/nsight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "app/error.hpp"
#include "app/find_tool.hpp"
#include "app/interrupt.hpp"
#include "app/subprocess.hpp"
#include "app/words.hpp"
#include "results/values/counts.hpp"

namespace runner {
namespace {

namespace counts = results::counts;

constexpr const char* COMPILERS = "the compilers need not read or write alike in shared memory";
constexpr const char* ARBITRATION = "the device's arbitration adds some at random";
constexpr const char* CONTRACTION = "outside the product the compilers do not fuse alike";
constexpr const char* SPILLS = "registers, and what does not fit them, are nvcc's to give";

constexpr NsightMetric METRICS[] = {
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", counts::LOAD_REQUESTS, "load requests",
     nullptr},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", counts::LOAD_SECTORS, "load sectors",
     nullptr},
    {"l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum", counts::LOAD_LINES, "load lines",
     nullptr},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", counts::STORE_REQUESTS, "store requests",
     nullptr},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", counts::STORE_SECTORS, "store sectors",
     nullptr},
    {"smsp__inst_executed_op_shared_ld.sum", counts::SHARED_LOADS, "shared loads", COMPILERS},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", counts::SHARED_LOAD_WAVEFRONTS,
     "shared load wavefronts", COMPILERS},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", counts::SHARED_LOAD_CONFLICTS,
     "shared load conflicts", COMPILERS},
    {"smsp__inst_executed_op_shared_st.sum", counts::SHARED_STORES, "shared stores", COMPILERS},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", counts::SHARED_STORE_WAVEFRONTS,
     "shared store wavefronts", ARBITRATION},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", counts::SHARED_STORE_CONFLICTS,
     "shared store conflicts", ARBITRATION},
    {"smsp__inst_executed_op_ldgsts.sum", counts::ASYNC_COPIES, "cp.async", nullptr},
    {"sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum",
     counts::ASYNC_COPY_WAVEFRONTS, "cp.async wavefronts", nullptr},
    {"sm__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum",
     counts::ASYNC_COPY_CONFLICTS, "cp.async conflicts", nullptr},
    {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", counts::FFMA, "FFMA", CONTRACTION},
    {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", counts::FADD, "FADD", nullptr},
    {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", counts::FMUL, "FMUL", nullptr},
    {"l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum", counts::LOCAL_BYTES, "bytes of local memory",
     SPILLS},
    {"l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum", counts::LOCAL_BYTES, "bytes of local memory",
     SPILLS},
};

// The header of Nsight Compute's CSV, and the places of the needed columns.
constexpr std::string_view HEADER = "\"ID\"";
constexpr const char* METRIC_COLUMN = "Metric Name";
constexpr const char* VALUE_COLUMN = "Metric Value";

// Returns the cells of a line of CSV; none if a quote is left open.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool doubled = quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"';
    if (doubled) {
      cells.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return quoted ? std::vector<std::string>() : cells;
}

// Parses "1,048,576"; nothing for "n/a" and other texts.
std::optional<uint64_t> number_from(std::string text) {
  std::erase(text, ',');
  uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  // A whole number may be written with decimals, which are then zeros.
  const bool is_whole = std::all_of(stop, end, [](char c) { return c == '.' || c == '0'; });
  if (text.empty() || error != std::errc{} || !is_whole) return std::nullopt;
  return value;
}

// Returns the first line that is not empty, for a message.
std::string first_words(std::string_view text) {
  for (const std::string& line : split(text, '\n')) {
    if (line.find_first_not_of(" \t\r") != line.npos) return printable(line);
  }
  return "";
}

// Returns Nsight Compute's lines about an error, or its first line.
std::string what_it_says(std::string_view text) {
  for (const std::string_view mark : {"==ERROR==", "==WARNING=="}) {
    const size_t at = text.find(mark);
    if (at != text.npos) return first_words(text.substr(at + mark.size()));
  }
  return first_words(text);
}

Error failed(const std::string& what) { return {ExitCode::failure, what}; }

[[noreturn]] void refuse_permission() {
  throw failed(
      "Nsight Compute may not read this GPU's counters (ERR_NVGPUCTRPERM): run this as root, or "
      "let all users read them as https://developer.nvidia.com/ERR_NVGPUCTRPERM says (the option "
      "NVreg_RestrictProfilingToAdminUsers=0 of the driver's kernel module)");
}

// Returns the sum of each metric over all kernels.
std::map<std::string, uint64_t> sums_in(std::string_view csv) {
  const std::vector<std::string> lines = split(csv, '\n');
  const std::vector<std::string> header = cells_of(lines.front());
  const auto column = [&](const char* name) {
    const auto found = std::ranges::find(header, name);
    if (found != header.end()) return static_cast<size_t>(found - header.begin());
    throw failed(fmt::format("Nsight Compute's output has no column '{}'", name));
  };
  const size_t metric = column(METRIC_COLUMN), value = column(VALUE_COLUMN);
  std::map<std::string, uint64_t> sums;
  for (size_t i = 1; i < lines.size(); ++i) {
    if (!lines[i].starts_with('"')) continue;  // one of Nsight Compute's messages
    const std::vector<std::string> cells = cells_of(lines[i]);
    if (cells.size() != header.size()) {
      throw failed(fmt::format("line {} of Nsight Compute's table has {} cells and its header {}",
                               i + 1, cells.size(), header.size()));
    }
    if (const auto number = number_from(cells[value])) sums[cells[metric]] += *number;
  }
  return sums;
}

}  // namespace

std::span<const NsightMetric> nsight_metrics() { return METRICS; }

std::vector<std::string> nsight_command(const std::string& ncu,
                                        const std::vector<std::string>& program) {
  std::string metrics;
  for (const NsightMetric& one : METRICS) {
    metrics += fmt::format("{}{}", metrics.empty() ? "" : ",", one.metric);
  }
  std::vector<std::string> command{
      ncu,    "--clock-control",      "none", "--csv",     "--print-units",
      "base", "--profile-from-start", "off",  "--metrics", metrics};
  command.insert(command.end(), program.begin(), program.end());
  return command;
}

NsightCounts read_nsight(std::string_view text, int exit_code) {
  if (text.find("ERR_NVGPUCTRPERM") != text.npos) refuse_permission();
  const size_t header = text.find(HEADER);
  if (header == text.npos) {
    throw failed(fmt::format("Nsight Compute counted nothing (it ended with {}){}{}", exit_code,
                             text.empty() ? "" : ": ", what_it_says(text)));
  }
  const std::map<std::string, uint64_t> sums = sums_in(text.substr(header));
  NsightCounts counted;
  for (const NsightMetric& one : METRICS) {
    if (!sums.contains(one.metric)) counted.missing.emplace_back(one.metric);
  }
  if (counted.missing.size() == std::size(METRICS)) {
    throw failed(fmt::format("Nsight Compute gave none of the metrics that it was asked for{}{}",
                             exit_code == 0 ? "" : ": ",
                             exit_code == 0 ? "" : what_it_says(text.substr(0, header))));
  }
  for (const NsightMetric& one : METRICS) {
    // A count that lacks one of its parts would be too small.
    const bool is_whole = std::ranges::none_of(METRICS, [&](const NsightMetric& other) {
      return std::string_view(other.count) == one.count && !sums.contains(other.metric);
    });
    if (!is_whole) continue;
    auto& all = counted.traffic.counts;
    const auto known = std::ranges::find(all, one.count, &results::Count::key);
    const uint64_t sum = sums.at(one.metric);
    if (known != all.end()) {
      known->value += sum;
    } else {
      all.push_back({one.count, "", sum});
    }
  }
  return counted;
}

NsightCounts count_with_nsight(const std::string& ncu, const std::vector<std::string>& program) {
  const Finished finished = run_interruptibly(nsight_command(ncu, program));
  stop_if_interrupted();
  if (finished.code == 127 && finished.output.empty()) {
    throw failed(fmt::format("'{}' cannot be run", ncu));
  }
  return read_nsight(finished.output, finished.code);
}

std::string find_nsight() {
  if (const auto ncu = find_cuda_tool("ncu")) return *ncu;
  throw failed(fmt::format(
      "Nsight Compute (ncu) is not to be found: it was looked for {}. It comes with the CUDA "
      "toolkit, or from https://developer.nvidia.com/nsight-compute",
      WHERE_CUDA_TOOLS_LIE));
}

}  // namespace runner
