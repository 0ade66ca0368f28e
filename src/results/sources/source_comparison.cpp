#include "results/sources/source_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "results/sources/source_functions.hpp"
#include "results/values/counts.hpp"
#include "results/values/metrics.hpp"
#include "text/page.hpp"

namespace results {
namespace {

// A line of a kernel's functions, with its counters.
struct CodeLine {
  std::string file;
  int number = 0;
  std::string text;  // without the blanks around it
  std::vector<std::string> counted;
};

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

std::vector<std::string> counted_of(const std::vector<Line>& lines, const std::string& file,
                                    int number) {
  std::vector<std::string> counted;
  for (const Line& l : lines) {
    if (l.file != file || l.line != number) continue;
    counted.push_back(fmt::format("{} {} {} {} {} {} {} {} {}", l.buffer, l.instruction,
                                  l.bytes_per_lane, l.requests, l.lanes, l.bytes_used, l.sectors,
                                  l.wavefronts, l.bank_conflicts));
  }
  std::ranges::sort(counted);
  return counted;
}

std::vector<CodeLine> code_of(const std::vector<Line>& lines, const std::vector<Source>& sources) {
  std::vector<CodeLine> code;
  const Shown shown = functions_with_accesses(lines, sources);
  for (const Source& source : sources) {
    const std::vector<std::string_view> texts = text::lines_of(source.text);
    for (const auto& [number, sign] : shown.at(source.file)) {
      const auto index = static_cast<size_t>(number - 1);
      code.push_back({source.file, number, index < texts.size() ? trimmed(texts[index]) : "",
                      counted_of(lines, source.file, number)});
    }
  }
  return code;
}

// Returns the longest common subsequence of the lines' texts, as pairs of indices.
std::vector<std::pair<size_t, size_t>> common(const std::vector<CodeLine>& a,
                                              const std::vector<CodeLine>& b) {
  std::vector<std::vector<int>> length(a.size() + 1, std::vector<int>(b.size() + 1, 0));
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;) {
      length[i][j] = a[i].text == b[j].text ? length[i + 1][j + 1] + 1
                                            : std::max(length[i + 1][j], length[i][j + 1]);
    }
  }
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].text == b[j].text) {
      pairs.emplace_back(i++, j++);
    } else if (length[i + 1][j] >= length[i][j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
  return pairs;
}

std::string name_of(const Result& r) {
  const std::string number = r.who.number ? fmt::format("{} ", *r.who.number) : "";
  return number + r.who.name + (r.who.variant.empty() ? "" : "/" + r.who.variant);
}

// Returns "4096x4096x4096" or "elements 16777216".
std::string size_of(const Result& r) { return r.problem ? r.problem->size() : sizes_of(r.who); }

// Returns "6.6x fewer", "1.3x more", or "as many".
std::string compared(double first, double second, const char* fewer, const char* more,
                     const char* equal, const text::Signs& signs) {
  const double ratio = first / second;
  if (ratio > 0.995 && ratio < 1.005) return equal;
  const double factor = ratio > 1 ? ratio : 1 / ratio;
  return fmt::format("{:.{}f}{} {}", factor, factor >= 2 ? 1 : 2, signs.times,
                     ratio > 1 ? fewer : more);
}

}  // namespace

Difference difference(const std::vector<Line>& first_lines,
                      const std::vector<Source>& first_sources,
                      const std::vector<Line>& second_lines,
                      const std::vector<Source>& second_sources) {
  const std::vector<CodeLine> first = code_of(first_lines, first_sources);
  const std::vector<CodeLine> second = code_of(second_lines, second_sources);
  std::vector<bool> in_second(first.size()), in_first(second.size());
  Difference difference;
  for (const auto& [i, j] : common(first, second)) {
    in_second[i] = in_first[j] = true;
    if (first[i].counted == second[j].counted) continue;
    difference.first[first[i].file][first[i].number] = ' ';
    difference.second[second[j].file][second[j].number] = ' ';
  }
  for (size_t i = 0; i < first.size(); ++i) {
    if (!in_second[i]) difference.first[first[i].file][first[i].number] = '-';
  }
  for (size_t j = 0; j < second.size(); ++j) {
    if (!in_first[j]) difference.second[second[j].file][second[j].number] = '+';
  }
  return difference;
}

std::string worth(const Result& first, const Result& second, const Recorded& recorded,
                  const text::Page& page) {
  const text::Signs signs(page.unicode);
  std::string text;
  const auto add = [&](const std::string& sentence, int indent) {
    text += text::wrap(sentence, page.width, indent) + "\n";
  };
  const auto add_count = [&](const char* what, std::optional<double> before,
                             std::optional<double> now) {
    if (before.value_or(0) == 0 && now.value_or(0) == 0) return;
    const std::string figures =
        fmt::format("{} {}, {} {}", name_of(first), compact(before.value_or(0)), name_of(second),
                    compact(now.value_or(0)));
    const bool has_ratio = before.value_or(0) > 0 && now.value_or(0) > 0;
    add(fmt::format(
            "{}: {}{}", what, figures,
            has_ratio ? ": " + compared(*before, *now, "fewer", "more", "as many", signs) : ""),
        2);
  };
  add_count("sectors of global memory", value(first, "global_sectors"),
            value(second, "global_sectors"));
  const auto wavefronts = [](const Result& r) {
    return r.seen.traffic ? r.seen.traffic->count(counts::SHARED_WAVEFRONTS) : std::nullopt;
  };
  add_count("wavefronts of shared memory", wavefronts(first), wavefronts(second));

  const auto [run, before] = recorded_result(recorded, first.who);
  const auto [_, now] = recorded_result(recorded, second.who);
  const bool of_labs = is_of_a_lab(first);
  if (before != nullptr && now != nullptr && of_labs == is_of_a_lab(second)) {
    const char* key = of_labs ? "percent_of_copy" : "percent_of_cublas";
    const auto slow = value(*before, key, {}, run->from.roofs);
    const auto fast = value(*now, key, {}, run->from.roofs);
    // Compares the times, like the table of a device, because the two percentages have references that ran at different
    // moments.
    const auto slow_ms = value(*before, "median_ms"), fast_ms = value(*now, "median_ms");
    if (!slow || !fast || !slow_ms || !fast_ms) return text;
    add(fmt::format("speed: {} {:.1f} % of {}, {} {:.1f} %: {} *", name_of(first), *slow,
                    of_labs ? "a copy" : "cuBLAS", name_of(second), *fast,
                    compared(*slow_ms, *fast_ms, "faster", "slower", "as fast", signs)),
        2);
    const std::string counted =
        size_of(first) == size_of(*now) ? "" : fmt::format("; counted at {}", size_of(first));
    add(fmt::format("* measured on an {} on {} at {}{}", run->from.device, now->date.substr(0, 10),
                    size_of(*now), counted),
        2);
  }
  return text;
}

}  // namespace results
