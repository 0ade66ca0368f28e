// The command line of `sgemm_runner show`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>

#include "app/error.hpp"
#include "app/words.hpp"
#include "labs/lab.hpp"
#include "runner/choose/select_workloads.hpp"
#include "runner/choose/size.hpp"
#include "runner/cli/lab_options.hpp"
#include "runner/cli/options.hpp"
#include "runner/cli/subcommands.hpp"
#include "runner/machine/machine.hpp"
#include "runner/request/workbench_request.hpp"

namespace runner {
namespace {

constexpr const char* PICTURE = "The picture of a request";
constexpr int64_t MOST_STEPS = 64;
constexpr int64_t LARGEST_NUMBER = std::numeric_limits<int64_t>::max();

Error usage(const std::string& message) { return {ExitCode::usage, message}; }

class ShowSubcommand : public Subcommand<sgemm_workbench> {
 public:
  void add_options(CLI::App& app) override;
  WorkbenchRequest request(const CLI::App& app,
                           const std::vector<std::string>& command_line) const override;

 private:
  void refuse_contradictions(const CLI::App& app) const;
  void add_workloads(ShowRequest& request) const;
  static void add_line(const std::string& word, ShowRequest& request);
  PictureRequest picture() const;

  std::vector<std::string> kernels_, kernel_files_;
  std::optional<std::string> size_, line_, block_, warp_, nth_, steps_;
  LabSizeWords lab_sizes_;
  std::string buffer_, svg_, color_ = "auto", baseline_;
  bool picture_ = false, ribbon_ = false, fragments_ = false, layout_ = false, timeline_ = false,
       json_ = false, reveal_ = false;
};

void ShowSubcommand::add_options(CLI::App& app) {
  app.add_option("KERNELS", kernels_,
                 "one to show or two to compare: 2, naive, or a lab: copy_stride, copy_stride/8");
  app.add_option("--kernel", kernel_files_, "your own kernel: a .cu file that defines one rung")
      ->allow_extra_args(false)
      ->type_name("FILE");
  app.add_option("--size", size_,
                 fmt::format("N for M = N = K, or MxNxK (default {})", WORKLOAD_SIZE))
      ->type_name("N|MxNxK");
  app.add_option("--line", line_, "show only this line; FILE:37 if the kernel has several files")
      ->type_name("N");
  app.add_option("--buffer", buffer_, "show only this buffer: A, B, C, shared")->type_name("NAME");
  app.add_flag("--json", json_, "print the run with its lines as JSON");
  add_reveal_option(app, reveal_);
  add_color_option(app, color_);
  app.add_option("--baseline", baseline_, "recorded run for the speed of the two kernels")
      ->type_name("FILE");
  app.add_flag("--picture", picture_, "draw one request; the most wasteful one, unless you choose")
      ->group(PICTURE);
  app.add_option("--block", block_, "choose this block, counted along x first (default 0)")
      ->type_name("N")
      ->group(PICTURE);
  app.add_option("--warp", warp_, "choose this warp of the block (default 0)")
      ->type_name("N")
      ->group(PICTURE);
  app.add_option("--nth", nth_, "choose the warp's N-th request, from 0 (default 0)")
      ->type_name("N")
      ->group(PICTURE);
  app.add_option("--steps", steps_, "draw K requests, one after the other")
      ->type_name("K")
      ->group(PICTURE);
  app.add_flag("--ribbon", ribbon_, "draw the matrix as one line of memory, with the lanes on it")
      ->group(PICTURE);
  app.add_flag("--fragments", fragments_,
               "draw which lane holds which element of the products on tensor cores")
      ->group(PICTURE);
  app.add_flag("--layout", layout_,
               "draw where tensor copies and wgmma find each 16 bytes in shared memory")
      ->group(PICTURE);
  app.add_flag(
         "--timeline", timeline_,
         "draw what each warp of a block does from step to step: it waits, copies, multiplies")
      ->group(PICTURE);
  app.add_option("--svg", svg_, "write the picture to a file, as a figure for slides")
      ->type_name("FILE")
      ->group(PICTURE);
  add_lab_sizes(app, lab::all(), lab_sizes_);
}

void ShowSubcommand::refuse_contradictions(const CLI::App& app) const {
  if (!picture_ && !timeline_) {
    for (const char* option : {"--block", "--warp", "--nth", "--steps", "--ribbon", "--fragments",
                               "--layout", "--svg"}) {
      if (app.count(option) > 0) throw usage(fmt::format("{} goes with --picture", option));
    }
  }
  if ((picture_ || timeline_) && json_) {
    throw usage(
        "--picture and --json exclude each other: a picture is text, or with --svg=FILE SVG");
  }
  if (app.count("--buffer") > 0 && buffer_.empty()) {
    throw usage("--buffer needs a name: A, B, C or shared");
  }
  if (app.count("--svg") > 0 && svg_.empty()) throw usage("--svg needs a file name");
}

// The kernels to show; two names are compared.
void ShowSubcommand::add_workloads(ShowRequest& request) const {
  size_t named = kernel_files_.size();
  for (const std::string& list : kernels_) named += split(list, ',').size();
  if (named == 0) {
    throw usage(
        "name what to show: a kernel (a number or a name), a lab (copy_stride, copy_stride/8) or "
        "--kernel FILE.cu; two are compared");
  }
  WorkloadWords words{.names = kernels_,
                      .parameters = given(lab_sizes_),
                      .kernel_files = kernel_files_,
                      .with_repeats = true};
  if (size_) {
    parse_size(*size_);  // one, not a list
    words.sizes.push_back(*size_);
  }
  request.workloads = select_workloads(words);
  if (!reveal_) refuse_riddles(request.workloads, "show");
  const bool is_whole_lab = named == 1 && request.workloads.front().lesson.has_value();
  if (request.workloads.size() > 2 && !is_whole_lab) {
    throw usage(
        fmt::format("'show' takes one kernel, or two to compare; you named {}. To compare variants "
                    "of a lab, name "
                    "two: copy_stride/1 copy_stride/8",
                    request.workloads.size()));
  }
  request.compares = request.workloads.size() == 2 && !is_whole_lab;
}

// "37", or "tile.hpp:37" if a kernel has several files.
void ShowSubcommand::add_line(const std::string& word, ShowRequest& request) {
  const size_t colon = word.rfind(':');
  const std::string number = colon == word.npos ? word : word.substr(colon + 1);
  if (colon != word.npos) request.file = word.substr(0, colon);
  request.line = static_cast<int>(parse_integer(
      "--line", number, 1, std::numeric_limits<int>::max(), "a file's lines count from 1, so "));
}

PictureRequest ShowSubcommand::picture() const {
  const auto number = [](const char* option, const std::optional<std::string>& word) {
    return word ? std::optional(
                      static_cast<uint64_t>(parse_integer(option, *word, 0, LARGEST_NUMBER)))
                : std::nullopt;
  };
  PictureRequest picture{.block = number("--block", block_),
                         .warp = number("--warp", warp_),
                         .nth = number("--nth", nth_),
                         .ribbon = ribbon_,
                         .fragments = fragments_,
                         .layout = layout_,
                         .timeline = timeline_,
                         .svg_file = svg_};
  if (steps_)
    picture.steps = static_cast<uint64_t>(parse_integer("--steps", *steps_, 1, MOST_STEPS));
  if (picture.fragments && (picture.ribbon || picture.is_chosen() || steps_ || !buffer_.empty())) {
    throw usage(
        "--fragments draws products, not requests: leave out --ribbon, --block, --warp, --nth, "
        "--steps and --buffer");
  }
  if (picture.layout &&
      (picture.ribbon || picture.fragments || picture.is_chosen() || steps_ || !buffer_.empty())) {
    throw usage(
        "--layout draws matrices in shared memory, not requests or fragments: leave out --ribbon, "
        "--fragments, --block, --warp, --nth, --steps and --buffer");
  }
  const bool chooses_request = warp_ || nth_ || steps_ || line_ || !buffer_.empty();
  if (picture.timeline &&
      (picture.ribbon || picture.fragments || picture.layout || chooses_request)) {
    throw usage(
        "--timeline draws a block, not requests or products: leave out --ribbon, --fragments, "
        "--layout, --warp, --nth, --steps, --line and --buffer");
  }
  if (picture.ribbon && picture.steps > 1)
    throw usage("--ribbon draws one request: leave out --steps");
  return picture;
}

WorkbenchRequest ShowSubcommand::request(const CLI::App& app,
                                         const std::vector<std::string>& command_line) const {
  if (machine::KIND != results::Machine::simulator) {
    throw usage(
        "'show' counts on the simulated GPU, and this program runs on a CUDA device: say "
        "./sgemm_runner show --build sim, with the rest as it is");
  }
  refuse_contradictions(app);
  ShowRequest request;
  add_workloads(request);
  if (line_) add_line(*line_, request);
  request.buffer = buffer_;
  if (picture_ || timeline_) request.picture = picture();
  if (!svg_.empty() && request.workloads.size() > 1) {
    throw usage("--svg draws one kernel: name one, or one variant of a lab");
  }
  request.json = json_;
  request.color = parse_color(color_);
  request.baseline_file = baseline_;
  request.baseline_asked_for = app.count("--baseline") > 0;
  request.command_line = command_line;
  return request;
}

}  // namespace

std::unique_ptr<Subcommand<sgemm_workbench>> show_subcommand() {
  return std::make_unique<ShowSubcommand>();
}

}  // namespace runner
