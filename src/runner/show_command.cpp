#include "runner/show_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>

#include "runner/command_line.hpp"
#include "runner/command_line_options.hpp"
#include "runner/error.hpp"
#include "runner/machine.hpp"
#include "runner/select.hpp"
#include "runner/suggest.hpp"
#include "runner/words.hpp"

namespace runner {
namespace {

constexpr const char* PICTURE = "The picture of a request";
constexpr int64_t MOST_STEPS = 64;
constexpr int64_t LARGEST_NUMBER = std::numeric_limits<int64_t>::max();

Error usage(const std::string& message) { return {ExitCode::usage, message}; }

bool is_a_lab(std::string_view name) {
  return std::ranges::any_of(
      lab::all(), [name](const lab::Lab* lab) { return equal_ignoring_case(name, lab->name); });
}

// "copy_stride" is all of a lab's variants, "copy_stride/8" one.
std::vector<ShownKernel> subjects_of(const std::string& word) {
  const std::vector<std::string> words{word};
  std::vector<ShownKernel> subjects;
  if (is_a_lab(word.substr(0, word.find_first_of("/,")))) {
    for (const SelectedLab& selected : select_labs(words, lab::all())) {
      for (const lab::Variant* variant : selected.variants)
        subjects.push_back({.lab = {selected.of, {variant}, selected.sizes}});
    }
    return subjects;
  }
  std::vector<std::string> labs;
  for (const lab::Lab* lab : lab::all()) labs.emplace_back(lab->name);
  for (const Selected& selected : select(words, ladder::all(), labs)) {
    if (selected.rung->number == 0) {
      throw usage(
          fmt::format("kernel 0 ({}) is the reference: none of its accesses is counted, so there "
                      "is nothing to show",
                      selected.rung->name));
    }
    subjects.push_back({.rung = selected.rung});
  }
  return subjects;
}

// All that is to be shown; two by name stand beside each other.
void add_subjects(const ShowWords& words, ShowRequest& request) {
  const size_t named = words.kernels.size() + words.kernel_files.size();
  if (named == 0) {
    throw usage(
        "name what to show: a kernel (a number or a name), a lab (copy_stride, copy_stride/8) or "
        "--kernel FILE.cu; two are compared");
  }
  for (const std::string& word : words.kernels) {
    for (const ShownKernel& subject : subjects_of(word)) request.subjects.push_back(subject);
  }
  for (const std::string& file : words.kernel_files) {
    request.subjects.push_back({.kernel_file = file});
  }
  const bool is_whole_lab = named == 1 && request.subjects.front().lab.of != nullptr &&
                            words.kernels.front().find(',') == std::string::npos;
  if (request.subjects.size() > 2 && !is_whole_lab) {
    throw usage(fmt::format(
        "'show' takes one kernel, or two to compare, and here are {}; of a lab name two variants, "
        "as in copy_stride/1 copy_stride/8",
        request.subjects.size()));
  }
  request.compares = request.subjects.size() == 2 && !is_whole_lab;
}

// The labs' sizes, and those of the kernels.
void set_sizes(const ShowWords& words, ShowRequest& request) {
  std::vector<SelectedLab> labs;
  for (const ShownKernel& subject : request.subjects) {
    if (subject.lab.of != nullptr) labs.push_back(subject.lab);
  }
  SizeWords sizes;
  for (const auto& [name, text] : words.sizes) {
    if (text) sizes.emplace_back(name, *text);
  }
  if (labs.empty() && !sizes.empty()) {
    throw usage(fmt::format("--{} is a size of labs; a kernel's is --size", sizes.front().first));
  }
  if (labs.size() == request.subjects.size() && words.size) {
    throw usage("--size is a kernel's; 'sgemm_runner lab' lists the sizes of labs");
  }
  runner::set_sizes(labs, sizes);
  auto lab = labs.begin();
  for (ShownKernel& subject : request.subjects) {
    if (subject.lab.of != nullptr) subject.lab = *lab++;
  }
  request.problem = parse_size(words.size.value_or(std::to_string(machine::DEFAULT_SIZE)));
  request.problem.seed = 1;
}

// "37", or where a kernel has several files "tile.hpp:37".
void add_line(const std::string& word, ShowRequest& request) {
  const size_t colon = word.rfind(':');
  const std::string number = colon == word.npos ? word : word.substr(colon + 1);
  if (colon != word.npos) request.file = word.substr(0, colon);
  request.line = static_cast<int>(parse_integer(
      "--line", number, 1, std::numeric_limits<int>::max(), "a file's lines count from 1, so "));
}

PictureRequest picture_from(const ShowWords& words) {
  const auto number = [](const char* option, const std::optional<std::string>& word) {
    return word ? std::optional(
                      static_cast<uint64_t>(parse_integer(option, *word, 0, LARGEST_NUMBER)))
                : std::nullopt;
  };
  PictureRequest picture{.block = number("--block", words.block),
                         .warp = number("--warp", words.warp),
                         .nth = number("--nth", words.nth),
                         .ribbon = words.ribbon,
                         .svg_file = words.svg};
  if (words.steps) {
    picture.steps = static_cast<uint64_t>(parse_integer("--steps", *words.steps, 1, MOST_STEPS));
  }
  if (picture.ribbon && picture.steps > 1)
    throw usage("--ribbon draws one request: leave --steps away");
  return picture;
}

}  // namespace

void add_show_options(CLI::App& app, ShowWords& words) {
  app.add_option("KERNELS", words.kernels,
                 "one to show, or two to compare: 2, naive, or a lab as copy_stride or "
                 "copy_stride/8");
  app.add_option("--kernel", words.kernel_files,
                 "your own kernel: a .cu file that defines one rung")
      ->allow_extra_args(false)
      ->type_name("FILE");
  app.add_option("--size", words.size,
                 fmt::format("N for M = N = K, or MxNxK (default {})", machine::DEFAULT_SIZE))
      ->type_name("N|MxNxK");
  for (const std::string& name : parameter_names(lab::all())) {
    auto& [_, value] = words.sizes.emplace_back(name, std::nullopt);
    app.add_option("--" + name, value, "as 'sgemm_runner lab' has it")
        ->type_name("N")
        ->group("Sizes, of the labs that have them");
  }
  app.add_option("--line", words.line, "only this line; FILE:37 where several files have one")
      ->type_name("N");
  app.add_option("--buffer", words.buffer, "only this buffer: A, B, C, shared")->type_name("NAME");
  app.add_flag("--json", words.json, "the run with its lines as JSON on stdout");
  app.add_option("--color", words.color, "auto, always or never")->type_name("WHEN");
  app.add_option("--baseline", words.baseline,
                 "the recorded run that the speed of two kernels is taken from")
      ->type_name("FILE");
  app.add_flag("--picture", words.picture, "draw one request: the worst, unless it is chosen")
      ->group(PICTURE);
  app.add_option("--block", words.block, "of this block, x counting first (default 0)")
      ->type_name("N")
      ->group(PICTURE);
  app.add_option("--warp", words.warp, "of this warp of the block (default 0)")
      ->type_name("N")
      ->group(PICTURE);
  app.add_option("--nth", words.nth, "the warp's request of this number, from 0 (default 0)")
      ->type_name("N")
      ->group(PICTURE);
  app.add_option("--steps", words.steps, "so many requests, one after the other")
      ->type_name("K")
      ->group(PICTURE);
  app.add_flag("--ribbon", words.ribbon, "the matrix as one line of memory, and the lanes on it")
      ->group(PICTURE);
  app.add_option("--svg", words.svg, "write the picture to a file, as a figure for slides")
      ->type_name("FILE")
      ->group(PICTURE);
}

ShowRequest show_request(const CLI::App& app, const ShowWords& words) {
  if (machine::KIND != results::Machine::simulator) {
    throw usage(
        "'show' counts on the simulated GPU, and this program runs on a CUDA device: say "
        "./sgemm_runner show --build sim, with the rest as it is");
  }
  if (!words.picture) {
    for (const char* option : {"--block", "--warp", "--nth", "--steps", "--ribbon", "--svg"}) {
      if (app.count(option) > 0) throw usage(fmt::format("{} goes with --picture", option));
    }
  }
  if (words.picture && words.json) {
    throw usage(
        "--picture and --json exclude each other: a picture is text, or with --svg=FILE SVG");
  }
  if (app.count("--buffer") > 0 && words.buffer.empty()) {
    throw usage("--buffer needs a name: A, B, C or shared");
  }
  if (app.count("--svg") > 0 && words.svg.empty()) throw usage("--svg needs a file name");

  ShowRequest request;
  add_subjects(words, request);
  set_sizes(words, request);
  if (words.line) add_line(*words.line, request);
  request.buffer = words.buffer;
  if (words.picture) request.picture = picture_from(words);
  if (!words.svg.empty() && request.subjects.size() > 1) {
    throw usage("--svg draws one kernel: name one, or one variant of a lab");
  }
  request.json = words.json;
  const bool asked = app.count("--baseline") > 0;
  request.color = parse_color(words.color);
  request.baseline_file = words.baseline;
  request.baseline_asked_for = asked;
  return request;
}

}  // namespace runner
