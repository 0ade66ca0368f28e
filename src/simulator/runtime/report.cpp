#include "simulator/runtime/report.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iomanip>
#include <sstream>
#include <string_view>
#include <vector>

namespace simulator::runtime {
namespace {

constexpr int kDefaultColumns = 80;
constexpr int kLineWidth = 5;
constexpr int kNarrowestName = 8;

/// 999999 as it is, and more with three digits and the SI letter.
std::string count(uint64_t value) {
  if (value < 1'000'000) return std::to_string(value);
  double scaled = static_cast<double>(value);
  std::string_view letter;
  for (const std::string_view next : {"k", "M", "G", "T", "P", "E"}) {
    if (scaled < 1000) break;
    scaled /= 1000;
    letter = next;
  }
  std::ostringstream text;
  text << std::fixed
       << std::setprecision(scaled < 10    ? 2
                            : scaled < 100 ? 1
                                           : 0)
       << scaled << ' ' << letter;
  return text.str();
}

std::string ratio(uint64_t part, uint64_t whole, double scale, std::string_view unit) {
  if (whole == 0) return "";
  std::ostringstream text;
  text << std::fixed << std::setprecision(1)
       << scale * static_cast<double>(part) / static_cast<double>(whole) << unit;
  return text.str();
}

std::string_view access_name(Access access) {
  switch (access) {
    case Access::global_load:
    case Access::shared_load:
    case Access::local_load:
    case Access::constant_load:
      return "load";
    case Access::global_store:
    case Access::shared_store:
    case Access::local_store:
      return "store";
    case Access::global_atomic:
    case Access::shared_atomic:
      return "atomic";
    case Access::async_copy:
    case Access::async_copy_shared:
      return "cp.async";
  }
  return "";
}

std::string file_name(const SourceLine& where) {
  return where.file.empty() ? "unknown file" : where.file.substr(where.file.rfind('/') + 1);
}

/// `text` in `width` columns, its beginning cut away if it is longer.
std::string fitted(const std::string& text, size_t width) {
  if (text.size() <= width) return text + std::string(width - text.size(), ' ');
  return ".." + text.substr(text.size() - width + 2);
}

/// The columns after the line's and the buffer's names, with their headings.
struct Column {
  std::string_view heading[2];
  int width;
};
constexpr Column kColumns[] = {{{"", "access"}, 8},    {{"bytes", "/lane"}, 5},
                               {{"", "requests"}, 8},  {{"sectors", "/request"}, 8},
                               {{"bytes", "used"}, 7}, {{"wave-", "fronts"}, 7},
                               {{"bank", "confl."}, 7}};

std::vector<std::string> cells(const AccessCounters& a) {
  std::vector<std::string> row{std::string(access_name(a.access)), std::to_string(a.bytes_per_lane),
                               count(a.requests)};
  if (is_shared(a.access)) {
    row.insert(row.end(), {"", "", count(a.wavefronts), count(a.bank_conflicts)});
  } else {
    row.insert(row.end(), {ratio(a.sectors, a.requests, 1, ""),
                           ratio(a.bytes_used, a.bytes_fetched(), 100, " %"), "", ""});
  }
  return row;
}

/// The rows of the table: what one line does to one buffer in one width, however many instructions do it.
std::vector<AccessCounters> rows_of(const Counters& counters) {
  std::vector<AccessCounters> rows;
  for (const AccessCounters& a : counters.accesses) {
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const AccessCounters& row) {
      return row.kernel == a.kernel && row.where.file == a.where.file &&
             row.where.line == a.where.line && row.access == a.access && row.buffer == a.buffer &&
             row.bytes_per_lane == a.bytes_per_lane;
    });
    if (same == rows.end()) {
      rows.push_back(a);
      continue;
    }
    same->requests += a.requests;
    same->bytes_used += a.bytes_used;
    same->sectors += a.sectors;
    same->wavefronts += a.wavefronts;
    same->bank_conflicts += a.bank_conflicts;
  }
  return rows;
}

int terminal_columns() {
  if (const char* const asked = std::getenv("COLUMNS")) {
    if (const int columns = std::atoi(asked); columns > 0) return columns;
  }
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return kDefaultColumns;
}

}  // namespace

std::string report(const Counters& counters, int columns) {
  size_t buffer_width = std::string_view("buffer").size();
  for (const AccessCounters& a : counters.accesses) {
    buffer_width = std::max(buffer_width, a.buffer.size());
  }
  int figures = kLineWidth + 1;
  for (const Column& column : kColumns) figures += 1 + column.width;
  buffer_width =
      std::min(buffer_width, static_cast<size_t>(std::max(columns - figures, kNarrowestName)));

  std::ostringstream text;
  text << "simulated GPU: " << counters.launches
       << (counters.launches == 1 ? " launch, " : " launches, ") << count(counters.blocks)
       << (counters.blocks == 1 ? " block, " : " blocks, ") << count(counters.flops) << " FLOP\n"
       << count(counters.warp_instructions) << " warp instructions, "
       << ratio(counters.lane_instructions, counters.warp_instructions * 32, 100, " %")
       << " of their lanes active\n";

  const std::vector<AccessCounters> rows = rows_of(counters);
  const AccessCounters* last = nullptr;
  for (const AccessCounters& a : rows) {
    if (last == nullptr || last->kernel != a.kernel || last->where.file != a.where.file) {
      text << '\n' << a.kernel << " in " << file_name(a.where) << '\n';
      for (const int row : {0, 1}) {
        text << std::setw(kLineWidth) << (row == 1 ? "line" : "") << ' '
             << fitted(row == 1 ? "buffer" : "", buffer_width);
        for (const Column& column : kColumns) {
          text << ' ' << std::setw(column.width) << column.heading[row];
        }
        text << '\n';
      }
    }
    last = &a;
    text << std::setw(kLineWidth) << a.where.line << ' ' << fitted(a.buffer, buffer_width);
    std::vector<std::string> row = cells(a);
    while (row.back().empty()) row.pop_back();
    for (size_t i = 0; i < row.size(); ++i) {
      text << ' ' << std::setw(kColumns[i].width) << row[i];
    }
    text << '\n';
  }
  if (rows.empty()) {
    text << "no kernel read or wrote memory\n";
  } else {
    text << "\nA sector is 32 bytes. Bytes used: those that a lane asked for, of all in the\n"
            "sectors fetched. A wavefront is one pass over shared memory's 32 banks.\n";
  }
  return text.str();
}

void report_at_exit() {
  static const bool asked = [] {
    const char* const value = std::getenv("SIMULATOR_REPORT");
    const bool on = value != nullptr && std::string_view(value) == "1";
    if (on) {
      std::atexit([] { std::fputs(report(counters(), terminal_columns()).c_str(), stderr); });
    }
    return on;
  }();
  static_cast<void>(asked);
}

}  // namespace simulator::runtime
