#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>

#include "app/interrupt.hpp"
#include "app/output.hpp"
#include "app/project.hpp"
#include "app/words.hpp"
#include "lens/fragments.hpp"
#include "lens/layout.hpp"
#include "lens/picture.hpp"
#include "lens/svg.hpp"
#include "lens/timeline.hpp"
#include "results/files/json.hpp"
#include "results/sources/source_comparison.hpp"
#include "results/sources/source_view.hpp"
#include "results/tables/table.hpp"
#include "runner/inspect/inspect.hpp"
#include "runner/machine/capacity.hpp"
#include "runner/machine/machine.hpp"
#include "runner/report/report.hpp"
#include "runner/run/run_lifecycle.hpp"
#include "runner/trial/launch_once.hpp"
#include "runner/trial/measure.hpp"
#include "runner/trial/provenance.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;
using results::Line;
using results::Result;
using results::Run;
using results::Shown;
using results::Source;

constexpr uint64_t ALL_STEPS = uint64_t{1} << 40;
constexpr int LINES_AROUND = 3;  // lines shown on each side of the line of --line

Error usage(const std::string& message) { return {ExitCode::usage, message}; }

// A workload with its counters, narrowed to the user's request.
struct Seen {
  const Workload* workload = nullptr;
  std::vector<Line> lines{};
  std::vector<Source> sources{};
  std::vector<lens::Request> requests{};
  std::vector<lens::MatrixProduct> products{};
  std::vector<lens::Layout> layouts{};
  std::vector<lens::Timeline> timelines{};
};

// ---- Running.

// Returns recorded runs for a comparison, because they have the kernels' speed on a device.
results::Recorded recorded_for(const ShowRequest& request) {
  if (!request.compares) return {};
  const auto is_lab = [](const Workload& one) { return one.lesson.has_value(); };
  const auto labs = std::ranges::count_if(request.workloads, is_lab);
  return runner::recorded_for({.color = request.color,
                               .baseline_file = request.baseline_file,
                               .baseline_asked_for = request.baseline_asked_for},
                              {.ladder = labs < std::ssize(request.workloads), .labs = labs > 0});
}

// ---- Sources.

// Returns the files of the accesses, the workload's own file first.
std::vector<Source> sources_of(const Workload& workload, const std::vector<Line>& lines) {
  std::set<std::string> files;
  for (const Line& line : lines) files.insert(line.file);
  std::vector<Source> sources;
  for (const std::string& file : files) {
    std::ostringstream text;
    text << std::ifstream(path_of_name(file), std::ios::binary).rdbuf();
    sources.push_back({.file = file, .name = name_in_project(file), .text = text.str()});
  }
  std::ranges::sort(sources, {}, [own = workload.source_file](const Source& source) {
    return std::pair(fs::path(source.file).filename() != own, source.file);
  });
  return sources;
}

// Refuses a kernel whose source is missing: a copy for a class has no rungs' sources.
void refuse_what_has_no_source(const std::vector<Seen>& seen) {
  for (const Seen& one : seen) {
    for (const Source& source : one.sources) {
      if (!source.text.empty() || source.file.empty()) continue;
      throw usage(fmt::format(
          "{} cannot be shown line by line: its source, {}, is not in this copy of the project; "
          "'sgemm_runner show {} --picture' needs no source",
          one.workload->name, source.name,
          one.workload->name.substr(0, one.workload->name.find(' '))));
    }
  }
}

// ---- Narrowing to the user's request.

// True if the access lies on the requested line. Line and lens::Request have the same three
// members.
template <typename Access>
bool is_in_line(const Access& access, const ShowRequest& request) {
  const bool right_file = request.file.empty() || lens::is_file(access.file, request.file);
  return right_file && (!request.line || access.line == *request.line);
}
template <typename Access>
bool is_wanted(const Access& access, const ShowRequest& request) {
  return is_in_line(access, request) && (request.buffer.empty() || access.buffer == request.buffer);
}

// Returns "src/kernels/02_coalesced.cu: 30, 33; ...".
std::string places_of(const std::vector<Line>& lines) {
  std::map<std::string, std::set<int>> numbers;
  for (const Line& line : lines) numbers[name_in_project(line.file)].insert(line.line);
  std::vector<std::string> places;
  for (const auto& [file, of_file] : numbers)
    places.push_back(fmt::format("{}: {}", file, fmt::join(of_file, ", ")));
  return fmt::format("{}", fmt::join(places, "; "));
}

// Refuses a line without accesses, and an unknown buffer.
void refuse_what_is_not_there(const ShowRequest& request, const std::vector<Line>& lines) {
  if (lines.empty()) throw usage("nothing is read or written, so there is nothing to show");
  std::vector<Line> in_line;
  std::ranges::copy_if(lines, std::back_inserter(in_line),
                       [&](const Line& line) { return is_in_line(line, request); });
  if (in_line.empty()) {
    throw usage(fmt::format("--line {}{}{}: there is no access to memory; there are some in {}",
                            request.file, request.file.empty() ? "" : ":", *request.line,
                            places_of(lines)));
  }
  std::set<std::string> buffers;
  for (const Line& line : in_line) buffers.insert(line.buffer);
  if (request.buffer.empty() || buffers.contains(request.buffer)) return;
  throw usage(fmt::format("--buffer '{}': {} has no access to it, but to {}",
                          printable(request.buffer), request.line ? "the line" : "the kernel",
                          fmt::join(buffers, ", ")));
}

// ---- The picture.

using Steps = std::vector<lens::Request>;

bool is_same_site(const lens::Request& a, const lens::Request& b) {
  return a.kernel == b.kernel && a.file == b.file && a.line == b.line &&
         a.instruction == b.instruction && a.path == b.path && a.buffer == b.buffer;
}

// Returns the requests by line, instruction and buffer.
std::vector<Steps> by_site(const std::vector<lens::Request>& requests) {
  std::vector<Steps> sites;
  for (const lens::Request& request : requests) {
    if (sites.empty() || !is_same_site(sites.back().front(), request)) sites.emplace_back();
    sites.back().push_back(request);
  }
  return sites;
}

void refuse_number(const char* option, uint64_t number, int64_t count, const std::string& of,
                   const std::string& what) {
  if (number < static_cast<uint64_t>(count)) return;
  throw usage(fmt::format("{} {} does not exist: {} has {} {}{}, numbered from 0", option, number,
                          of, count, what, count == 1 ? "" : "s"));
}

// Refuses a block and a warp that no kernel of the launch has.
void refuse_block_and_warp(const PictureRequest& picture, const Result& result) {
  int64_t blocks = 0, warps = 0;
  for (const results::Kernel& k : result.seen.kernels) {
    blocks = std::max(blocks, k.grid[0] * k.grid[1] * k.grid[2]);
    const int64_t threads = k.block[0] * k.block[1] * k.block[2];
    warps = std::max(warps, (threads + lens::LANES - 1) / lens::LANES);
  }
  refuse_number("--block", picture.block.value_or(0), blocks, "the launch", "block");
  refuse_number("--warp", picture.warp.value_or(0), warps, "a block", "warp");
}

// Returns the leading dimension of a rung's matrix; nothing for any other memory.
std::optional<int64_t> leading_dimension(const Result& result, const std::string& buffer) {
  if (!result.problem) return std::nullopt;
  const results::Problem& p = *result.problem;
  if (buffer == "A") return p.lda;
  if (buffer == "B") return p.ldb;
  return buffer == "C" ? std::optional(p.ldc) : std::nullopt;
}

// Returns the request to draw and the requests after it.
Steps chosen_steps(const PictureRequest& picture, const Result& result,
                   std::vector<lens::Request> requests) {
  if (picture.is_chosen()) refuse_block_and_warp(picture, result);
  if (picture.ribbon) {
    std::erase_if(requests,
                  [&](const lens::Request& r) { return !leading_dimension(result, r.buffer); });
    if (requests.empty())
      throw usage("--ribbon draws a matrix of a kernel's: A, B or C in global memory");
  }
  if (requests.empty()) {
    throw usage(fmt::format("warp {} of block {} makes no such request", picture.warp.value_or(0),
                            picture.block.value_or(0)));
  }
  const uint64_t first = picture.is_chosen() ? picture.nth.value_or(0) : 0;
  size_t most = 0;
  Steps worst;
  for (const Steps& site : by_site(requests)) {
    most = std::max(most, site.size());
    if (first >= site.size()) continue;
    if (!worst.empty() && !lens::is_worse(site[first], worst.front())) continue;
    const uint64_t last = std::min<uint64_t>(first + picture.steps, site.size());
    worst.assign(site.begin() + static_cast<int64_t>(first),
                 site.begin() + static_cast<int64_t>(last));
  }
  if (!worst.empty()) return worst;
  refuse_number(
      "--nth", first, static_cast<int64_t>(most),
      fmt::format("warp {} of block {}", picture.warp.value_or(0), picture.block.value_or(0)),
      "such request");
  return worst;
}

lens::Wanted wanted_by(const PictureRequest& picture) {
  return {.any = true,
          .chosen = picture.is_chosen(),
          .block = picture.block.value_or(0),
          .warp = static_cast<uint32_t>(std::min<uint64_t>(picture.warp.value_or(0), UINT32_MAX)),
          // Record all requests of a chosen warp, to know their number.
          .count = picture.is_chosen() ? ALL_STEPS : picture.steps};
}

// ---- Text.

std::string size_of(const Result& result, const text::Signs& signs) {
  if (!result.problem) return results::sizes_of(result.who);
  const results::Problem& p = *result.problem;
  return p.is_square() ? fmt::format("{}{}", p.M, signs.cube) : p.size();
}

std::string title_of(const Result& result) {
  const results::Identity& who = result.who;
  return (who.number ? fmt::format("{} ", *who.number) : "") + who.name +
         (who.variant.empty() ? "" : "/" + who.variant);
}

// Returns "simulated GPU · 2 coalesced · 256³: the same threads renumbered".
std::string heading_of(const Workload& workload, const Result& result, const text::Signs& signs) {
  return fmt::format("simulated GPU {} {} {} {}{}", signs.dot, title_of(result), signs.dot,
                     size_of(result, signs),
                     workload.idea.empty() ? "" : fmt::format(": {}", workload.idea));
}

// Keeps the lines around the requested one.
void keep_around(int line, Shown& shown) {
  for (auto& [file, numbers] : shown) {
    std::erase_if(numbers, [line](const auto& number) {
      return std::abs(number.first - line) > LINES_AROUND;
    });
  }
}

std::string view_of(const ShowRequest& request, const Run& run, const std::vector<Seen>& seen,
                    const text::Page& page) {
  const text::Signs signs(page.unicode);
  std::vector<results::SourcePart> parts;
  for (size_t i = 0; i < seen.size(); ++i) {
    if (seen[i].lines.empty()) continue;
    Shown shown = results::functions_with_accesses(seen[i].lines, seen[i].sources);
    if (request.line) keep_around(*request.line, shown);
    parts.push_back({.title = heading_of(*seen[i].workload, run.results[i], signs),
                     .lines = seen[i].lines,
                     .sources = seen[i].sources,
                     .shown = std::move(shown)});
  }
  return results::source_view(parts, page);
}

std::string comparison_of(const Run& run, const std::vector<Seen>& seen,
                          const results::Recorded& recorded, const text::Page& page) {
  const Seen &first = seen[0], &second = seen[1];
  const auto title = [&](char sign, size_t i, const Shown& shown) {
    return fmt::format("{} {}{}", sign, title_of(run.results[i]),
                       shown.empty() ? ": no line or counter that the other has not" : "");
  };
  results::Difference differs =
      results::difference(first.lines, first.sources, second.lines, second.sources);
  const std::vector<results::SourcePart> parts{
      {title('-', 0, differs.first), first.lines, first.sources, differs.first},
      {title('+', 1, differs.second), second.lines, second.sources, differs.second}};
  const std::string both = fmt::format("simulated GPU {} {} and {}", text::Signs(page.unicode).dot,
                                       title_of(run.results[0]), title_of(run.results[1]));
  return text::wrap(both, page.width, 2) + "\n\n" + results::to_table(run, recorded, page) + "\n" +
         results::source_view(parts, page) + "\n" +
         results::worth(run.results[0], run.results[1], recorded, page);
}

std::string pictures_of(const ShowRequest& request, const Run& run, const std::vector<Seen>& seen,
                        const text::Page& page, std::string& svg) {
  std::string text;
  for (size_t i = 0; i < seen.size(); ++i) {
    const Result& result = run.results[i];
    const Steps steps = chosen_steps(*request.picture, result, seen[i].requests);
    text += (text.empty() ? "" : "\n") +
            text::wrap(heading_of(*seen[i].workload, result, text::Signs(page.unicode)), page.width,
                       2) +
            "\n\n";
    if (request.picture->ribbon) {
      const int64_t ld = *leading_dimension(result, steps.front().buffer);
      text += lens::ribbon(steps.front(), ld, page);
      svg = lens::svg_ribbon(steps.front(), ld);
    } else {
      text += lens::picture(steps, page);
      svg = lens::svg(steps);
    }
  }
  return text;
}

// Returns "src/kernels/13_tensor.cu: 40, 52" for products or layouts.
template <typename Drawn>
std::string places_of(const std::vector<Drawn>& all) {
  std::vector<Line> lines;
  for (const Drawn& one : all) {
    Line& line = lines.emplace_back();
    line.file = one.file;
    line.line = one.line;
  }
  return places_of(lines);
}

// Returns the products or layouts in the requested line. Refuses a line without any. `what`: "product on tensor cores".
template <typename Drawn>
std::vector<Drawn> drawn_in_line(const std::vector<Drawn>& all, const ShowRequest& request,
                                 const char* what) {
  std::vector<Drawn> wanted = all;
  std::erase_if(wanted, [&](const Drawn& one) { return !is_in_line(one, request); });
  if (!wanted.empty()) return wanted;
  throw usage(fmt::format("--line {}{}{}: there is no {}; there are some in {}", request.file,
                          request.file.empty() ? "" : ":", *request.line, what, places_of(all)));
}

std::string fragments_of(const ShowRequest& request, const Run& run, const std::vector<Seen>& seen,
                         const text::Page& page, std::string& svg) {
  std::string text;
  for (size_t i = 0; i < seen.size(); ++i) {
    const std::string who = title_of(run.results[i]);
    if (seen[i].products.empty()) {
      throw usage(
          fmt::format("--fragments: {} executes no product on tensor cores (mma.sync)", who));
    }
    const std::vector<lens::MatrixProduct> products =
        drawn_in_line(seen[i].products, request, "product on tensor cores");
    text += (text.empty() ? "" : "\n") +
            text::wrap(heading_of(*seen[i].workload, run.results[i], text::Signs(page.unicode)),
                       page.width, 2) +
            "\n";
    for (const lens::MatrixProduct& product : products)
      text += "\n" + lens::fragments(product, page);
    svg = lens::svg_fragments(products.front());
  }
  return text;
}

std::string layouts_of(const ShowRequest& request, const Run& run, const std::vector<Seen>& seen,
                       const text::Page& page, std::string& svg) {
  std::string text;
  for (size_t i = 0; i < seen.size(); ++i) {
    if (seen[i].layouts.empty()) {
      throw usage(fmt::format("--layout: {} executes no tensor copy and no wgmma",
                              title_of(run.results[i])));
    }
    const std::vector<lens::Layout> layouts =
        drawn_in_line(seen[i].layouts, request, "tensor copy or wgmma");
    text += (text.empty() ? "" : "\n") +
            text::wrap(heading_of(*seen[i].workload, run.results[i], text::Signs(page.unicode)),
                       page.width, 2) +
            "\n";
    for (const lens::Layout& one : layouts) text += "\n" + lens::layout(one, page);
    svg = lens::svg_layouts(layouts);
  }
  return text;
}

std::string timelines_of(const ShowRequest& request, const Run& run, const std::vector<Seen>& seen,
                         const text::Page& page, std::string& svg) {
  std::string text;
  for (size_t i = 0; i < seen.size(); ++i) {
    const std::vector<lens::Timeline>& timelines = seen[i].timelines;
    if (timelines.empty()) refuse_block_and_warp(*request.picture, run.results[i]);
    text += (text.empty() ? "" : "\n") +
            text::wrap(heading_of(*seen[i].workload, run.results[i], text::Signs(page.unicode)),
                       page.width, 2) +
            "\n";
    for (const lens::Timeline& timeline : timelines) text += "\n" + lens::timeline(timeline, page);
    const auto longest = std::ranges::max_element(timelines, {}, &lens::Timeline::steps);
    if (longest != timelines.end()) svg = lens::svg_timeline(*longest);
  }
  return text;
}

std::string text_of(const ShowRequest& request, const Run& run, const std::vector<Seen>& seen,
                    const results::Recorded& recorded, const text::Page& page, std::string& svg) {
  if (request.picture && request.picture->fragments) {
    return fragments_of(request, run, seen, page, svg);
  }
  if (request.picture && request.picture->layout) return layouts_of(request, run, seen, page, svg);
  if (request.picture && request.picture->timeline)
    return timelines_of(request, run, seen, page, svg);
  if (request.picture) return pictures_of(request, run, seen, page, svg);
  if (request.compares) return comparison_of(run, seen, recorded, page);
  return view_of(request, run, seen, page);
}

// Returns the part of a result to show.
Seen seen_of(const ShowRequest& request, const Result& result, Seen seen) {
  std::ranges::copy_if(result.seen.lines, std::back_inserter(seen.lines),
                       [&](const Line& line) { return is_wanted(line, request); });
  std::erase_if(seen.requests, [&](const lens::Request& r) { return !is_wanted(r, request); });
  seen.sources = sources_of(*seen.workload, seen.lines);
  return seen;
}

}  // namespace

ExitCode run(const ShowRequest& request) {
  catch_signals(machine::interrupt);
  const text::Page page = stdout_page(request.color);
  const results::Recorded recorded = recorded_for(request);
  std::unique_ptr<OutputFile> svg_file;
  if (request.picture && !request.picture->svg_file.empty())
    svg_file = std::make_unique<OutputFile>(request.picture->svg_file);
  refuse_what_cannot_fit(request.workloads, machine::open());

  Run run{.from = provenance(request.command_line, request.json)};
  std::vector<Workload> workloads = request.workloads;
  std::vector<Seen> seen;
  std::optional<Error> failure;
  try {
    for (Workload& workload : workloads) {
      load(workload);
      if (request.picture && request.picture->layout) {
        machine::record_layouts();
      } else if (request.picture && request.picture->timeline) {
        machine::record_timelines(request.picture->block.value_or(0));
      } else if (request.picture) {
        machine::record_requests(wanted_by(*request.picture));
      }
      // Verify like every run: a wrong kernel's counters mean nothing.
      measure_all({workload}, {.reveal = true}, true, run);
      seen.push_back({.workload = &workload,
                      .requests = machine::recorded_requests(),
                      .products = machine::matrix_products(),
                      .layouts = machine::recorded_layouts(),
                      .timelines = machine::recorded_timelines()});
    }
  } catch (const std::exception&) {
    failure = caught_error();
  }
  if (interrupted()) return ExitCode::interrupted;
  const std::string wrong = results::complaints(run, page);
  if (!std::ranges::all_of(run.results, [](const Result& r) { return r.judged.correct; })) {
    write_stderr(wrong);
    const auto failed = [](const Result& r) { return !r.judged.error.empty(); };
    return std::ranges::any_of(run.results, failed) ? ExitCode::failure : ExitCode::wrong;
  }
  if (failure) throw Error(*failure);

  std::vector<Line> lines;
  for (const Result& result : run.results)
    lines.insert(lines.end(), result.seen.lines.begin(), result.seen.lines.end());
  const bool needs_access =
      !request.picture ||
      !(request.picture->fragments || request.picture->layout || request.picture->timeline);
  if (needs_access) refuse_what_is_not_there(request, lines);
  for (size_t i = 0; i < seen.size(); ++i)
    seen[i] = seen_of(request, run.results[i], std::move(seen[i]));
  if (request.json) {
    for (size_t i = 0; i < seen.size(); ++i) run.results[i].seen.lines = seen[i].lines;
    write_stdout(results::to_json(run));
    write_stderr(wrong);
    return wrong.empty() ? ExitCode::ok : ExitCode::wrong;
  }
  if (!request.picture) refuse_what_has_no_source(seen);
  std::string svg;
  const std::string text = text_of(request, run, seen, recorded, page, svg);
  if (svg_file) svg_file->commit(svg);
  write_stdout(text);
  write_stderr(wrong);
  return wrong.empty() ? ExitCode::ok : ExitCode::wrong;
}

}  // namespace runner
