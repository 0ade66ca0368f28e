#include "simulator/runtime/exit/show_at_exit.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lens/fragments.hpp"
#include "lens/layout.hpp"
#include "lens/picture.hpp"
#include "lens/svg.hpp"
#include "lens/timeline.hpp"
#include "simulator/runtime/api/diagnostics.hpp"
#include "simulator/runtime/exit/at_exit.hpp"

namespace simulator::runtime {
namespace {

// A picture of a line's requests, products and layouts, or the timeline of a block.
struct Asked {
  std::string file{};
  int line = 0;
  std::string kernel{};    // of the timeline
  uint64_t block = 0;      // likewise
  std::string svg_path{};  // empty: no file
};

// Never destroyed, because it is read at exit.
const Asked* asked = nullptr;

// Parses "kernel.cu:17". Returns nothing for other text.
std::optional<Asked> parse(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == text.npos || colon == 0) return std::nullopt;
  const std::string_view number = text.substr(colon + 1);
  Asked place{.file = std::string(text.substr(0, colon))};
  const char* const begin = number.data();
  const char* const end = begin + number.size();
  const auto [rest, error] = std::from_chars(begin, end, place.line);
  if (error != std::errc{} || rest != end || place.line < 1) return std::nullopt;
  return place;
}

// Returns "3, 5 and 17".
template <typename List>
std::string enumerate(const List& items, const std::string& ellipsis) {
  constexpr size_t MOST = 20;
  std::string text;
  size_t i = 0;
  for (const std::string& item : items) {
    if (i == MOST) return text.append(", ").append(ellipsis);
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += item;
    ++i;
  }
  return text;
}

// Returns the reason why there is nothing to draw, and the lines that have requests.
std::string nothing_there() {
  std::set<int> lines;
  std::set<std::string> files;
  const auto add = [&](const SourceLine& where) {
    if (where.file.empty()) return;
    files.insert(where.file_name());
    if (lens::is_file(where.file, asked->file)) lines.insert(where.line);
  };
  const Counters counters = program_counters();
  for (const AccessCounters& row : counters.accesses) add(row.where);
  for (const TensorCounters& row : counters.tensor) add(row.where);
  if (files.empty()) return "no kernel has run that accesses memory";
  if (lines.empty()) {
    return "no kernel that ran accesses memory in a file of that name; files with accesses: " +
           enumerate(files, "...");
  }
  std::vector<std::string> numbers;
  numbers.reserve(lines.size());
  for (const int line : lines) numbers.push_back(std::to_string(line));
  return "no kernel has accessed memory there; in that file they did in line" +
         std::string(lines.size() == 1 ? " " : "s ") + enumerate(numbers, "...");
}

// Returns the products on tensor cores in the line, each instruction once.
std::vector<lens::MatrixProduct> products() {
  std::vector<lens::MatrixProduct> all = matrix_products(program_counters());
  std::erase_if(all, [](const lens::MatrixProduct& p) {
    return !lens::is_file(p.file, asked->file) || p.line != asked->line;
  });
  return all;
}

void write_svg(const std::string& svg) {
  if (const int error = replace_file(asked->svg_path, svg)) {
    std::fprintf(stderr, "simulated GPU: cannot write the picture to '%s': %s\n",
                 asked->svg_path.c_str(), std::strerror(error));
  }
}

void show() {
  at_exit([] {
    const std::vector<lens::Request> requests = recorded_requests();
    const std::vector<lens::MatrixProduct> tensor = products();
    const std::vector<lens::Layout> layouts = recorded_layouts();
    if (requests.empty() && tensor.empty() && layouts.empty()) {
      std::fprintf(stderr, "simulated GPU: there is nothing to show for SIMULATOR_SHOW=%s:%d: %s\n",
                   asked->file.c_str(), asked->line, nothing_there().c_str());
      return;
    }
    const text::Page page = stderr_page();
    std::vector<std::string> pictures;
    if (!requests.empty()) pictures.push_back(lens::picture(requests, page));
    for (const lens::MatrixProduct& product : tensor)
      pictures.push_back(lens::fragments(product, page));
    for (const lens::Layout& one : layouts) pictures.push_back(lens::layout(one, page));
    for (const std::string& picture : pictures) {
      std::fputs(&picture == &pictures.front() ? "" : "\n", stderr);
      std::fputs(picture.c_str(), stderr);
    }
    if (asked->svg_path.empty()) return;
    write_svg(!requests.empty() ? lens::svg({requests.front()})
              : !tensor.empty() ? lens::svg_fragments(tensor.front())
                                : lens::svg_layouts(layouts));
  });
}

void show_timeline() {
  at_exit([] {
    const std::vector<lens::Timeline> timelines = recorded_timelines();
    if (timelines.empty()) {
      std::fprintf(
          stderr,
          "simulated GPU: there is no timeline: no kernel whose name contains '%s' has run "
          "a block %llu\n",
          asked->kernel.c_str(), static_cast<unsigned long long>(asked->block));
      return;
    }
    for (const lens::Timeline& timeline : timelines) {
      std::fputs(&timeline == &timelines.front() ? "" : "\n", stderr);
      std::fputs(lens::timeline(timeline, stderr_page()).c_str(), stderr);
    }
    if (!asked->svg_path.empty()) write_svg(lens::svg_timeline(timelines.front()));
  });
}

const char* environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Parses "product" or "product:3": a part of a kernel's name, and a block's linear number. Returns nothing for other text.
std::optional<Asked> parse_timeline(std::string_view text) {
  const size_t colon = text.rfind(':');
  const bool has_number = colon != text.npos && (colon == 0 || text[colon - 1] != ':');
  Asked asked_for{.kernel = std::string(has_number ? text.substr(0, colon) : text)};
  if (!has_number) return asked_for;
  const std::string_view number = text.substr(colon + 1);
  const char* const end = number.data() + number.size();
  const auto [rest, error] = std::from_chars(number.data(), end, asked_for.block);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return asked_for;
}

void read_timeline(const char* words, const char* svg_path) {
  std::optional<Asked> parsed = parse_timeline(words);
  if (!parsed) {
    std::fprintf(
        stderr,
        "simulated GPU: SIMULATOR_TIMELINE is '%s'; it must be KERNEL or KERNEL:BLOCK, for "
        "example product:0, and is ignored\n",
        words);
    return;
  }
  if (*svg_path != '\0') parsed->svg_path = absolute_path(svg_path);
  asked = new Asked(std::move(*parsed));
  record_timelines(asked->kernel, asked->block);
  std::atexit(show_timeline);
}

void read_environment() {
  const char* const place = environment("SIMULATOR_SHOW");
  const char* const svg_path = environment("SIMULATOR_SVG");
  const char* const timeline = environment("SIMULATOR_TIMELINE");
  if (*place == '\0') {
    if (*timeline != '\0') return read_timeline(timeline, svg_path);
    if (*svg_path != '\0') {
      std::fputs(
          "simulated GPU: SIMULATOR_SVG writes the picture that SIMULATOR_SHOW=FILE:LINE or "
          "SIMULATOR_TIMELINE=KERNEL asks for; neither is set, and it is ignored\n",
          stderr);
    }
    return;
  }
  if (*timeline != '\0') {
    std::fputs(
        "simulated GPU: SIMULATOR_SHOW is set, so SIMULATOR_TIMELINE is ignored: one picture at a "
        "time\n",
        stderr);
  }
  std::optional<Asked> parsed = parse(place);
  if (!parsed) {
    std::fprintf(stderr,
                 "simulated GPU: SIMULATOR_SHOW is '%s'; it must be FILE:LINE, for example "
                 "kernel.cu:17, and is ignored\n",
                 place);
    return;
  }
  if (*svg_path != '\0') parsed->svg_path = absolute_path(svg_path);
  asked = new Asked(std::move(*parsed));
  lens::Wanted wanted;
  wanted.any = true;
  wanted.file = asked->file;
  wanted.line = asked->line;
  record_requests(wanted);
  record_layouts(asked->file, asked->line);
  std::atexit(show);
}

}  // namespace

void show_at_exit() {
  static const bool once = (read_environment(), true);
  static_cast<void>(once);
}

}  // namespace simulator::runtime
