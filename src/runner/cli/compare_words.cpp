// The command line of `sgemm_runner compare`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/error.hpp"
#include "app/words.hpp"
#include "labs/lab.hpp"
#include "runner/choose/lab_workload.hpp"
#include "runner/choose/size.hpp"
#include "runner/cli/options.hpp"
#include "runner/cli/subcommands.hpp"
#include "runner/machine/machine.hpp"
#include "runner/request/workbench_request.hpp"
#include "runner/run/calls.hpp"

namespace runner {
namespace {

constexpr int MOST_RUNS = 100;
constexpr int USUAL_AGAIN = 3;

constexpr const char* EXAMPLES =
    R"(
Examples:
  sgemm_runner compare              measure now; compare with the project's file for this device
  sgemm_runner compare base.json    measure the same kernels and sizes now; compare
  sgemm_runner compare base.json new.json
  sgemm_runner compare base.json --only 9-12 --size 4096

Exit codes: 0 nothing got worse, 1 a wrong result or a broken promise, 3 SLOWER or CHANGED, 4 the two cannot be compared, 5 UNSURE (with --strict).
)";

Error usage(const std::string& message) { return {ExitCode::usage, message}; }

class CompareSubcommand : public Subcommand<sgemm_workbench> {
 public:
  void add_options(CLI::App& app) override {
    app.add_option("FILES", files_,
                   "BASE and NEW, files that 'save' or --json=FILE wrote. Without NEW: a run made "
                   "now. Without BASE: the project's own file for this device")
        ->type_name("");
    app.add_option("--only", only_,
                   "compare only these kernels or labs: 2, naive, 9-12, copy_stride, copy_stride/8")
        ->allow_extra_args(false)
        ->type_name("KERNELS");
    app.add_option("--size", sizes_, "compare only these sizes; several with commas")
        ->allow_extra_args(false)
        ->type_name("N|MxNxK");
    app.add_option("--kernel", kernel_files_,
                   "the file of your kernel, if BASE has one and does not name its file")
        ->allow_extra_args(false)
        ->type_name("FILE");
    app.add_option("--runs", runs_,
                   fmt::format("measure a run made now N times (default {})", usual_runs()))
        ->type_name("N");
    app.add_option(
           "--again", again_,
           fmt::format("measure unsure rows again, N times at most (default {})", USUAL_AGAIN))
        ->type_name("N");
    app.add_flag("--json{-}", json_,
                 "print the run with its verdicts as JSON; --json=FILE writes it to a file beside "
                 "the table")
        ->type_name("[=FILE]");
    app.add_flag(
           "--md{-}", markdown_,
           "print Markdown, for a pull request; --md=FILE writes it to a file beside the table")
        ->type_name("[=FILE]");
    app.add_flag("--annotations", annotations_, "print GitHub's annotations below the table");
    app.add_flag("--strict", strict_, "exit with 5 if a row is unsure");
    add_color_option(app, color_);
    app.add_flag("-q,--quiet", quiet_, "print nothing but failures; see the exit code");
    app.add_flag("-v,--verbose", verbose_, "also print counters that did not change");
    app.footer(EXAMPLES);
  }

  WorkbenchRequest request(const CLI::App&,
                           const std::vector<std::string>& command_line) const override {
    CompareRequest request;
    request.runs = usual_runs();
    request.again = USUAL_AGAIN;
    add_files(request);
    if (runs_) request.runs = static_cast<int>(parse_integer("--runs", *runs_, 1, MOST_RUNS));
    if (again_) request.again = static_cast<int>(parse_integer("--again", *again_, 0, MOST_RUNS));
    if (!request.now.empty() && (runs_ || again_ || !kernel_files_.empty()))
      throw usage(
          "two files are compared as they are: --runs, --again and --kernel are of a run made now");
    add_only(request);
    for (const std::string& list : sizes_) {
      for (const std::string& size : split(list, ',')) request.sizes.push_back(parse_size(size));
    }
    request.kernel_files = kernel_files_;
    add_output(request);
    request.annotations = annotations_;
    request.strict = strict_;
    request.command_line = command_line;
    return request;
  }

 private:
  void add_files(CompareRequest& request) const {
    if (files_.size() > 2)
      throw usage(fmt::format("'compare' takes two files at most, and '{}' is a third", files_[2]));
    for (const std::string& file : files_) {
      if (file.empty()) throw usage("a file's name is empty");
    }
    if (!files_.empty()) request.base = files_[0];
    if (files_.size() > 1) request.now = files_[1];
  }

  void add_only(CompareRequest& request) const {
    std::vector<std::string> rungs, labs;
    for (const std::string& list : only_) {
      for (const std::string& word : split(list, ',')) {
        (find_lab(word, lab::all()) != nullptr ? labs : rungs).push_back(word);
      }
    }
    for (const Selected& one : select(rungs, ladder::all(), lab_names(lab::all())))
      request.only.push_back(identity_of(*one.rung));
    for (const SelectedLab& one : select_labs(labs, lab::all())) {
      for (const lab::Variant* variant : one.variants)
        request.only.push_back({.set = "lab", .name = one.of->name, .variant = variant->name});
    }
  }

  void add_output(CompareRequest& request) const {
    if (json_ == TO_STDOUT && markdown_ == TO_STDOUT)
      throw usage("only one of --json and --md can go to stdout; --json=FILE goes to a file");
    if (json_ == TO_STDOUT) request.format = Format::json;
    if (markdown_ == TO_STDOUT) request.format = Format::markdown;
    if (request.format != Format::table && annotations_)
      throw usage(
          "--annotations stand below the table: write JSON and Markdown to files, with --json=FILE "
          "and --md=FILE");
    if (json_ != TO_STDOUT) request.json_file = json_;
    if (markdown_ != TO_STDOUT) request.markdown_file = markdown_;
    if (quiet_ && verbose_) throw usage("-q and -v exclude each other");
    request.verbosity = quiet_ ? -1 : verbose_ ? 1 : 0;
    request.color = parse_color(color_);
  }

  std::vector<std::string> files_, only_, sizes_, kernel_files_;
  std::optional<std::string> runs_, again_;
  std::string json_, markdown_, color_ = "auto";
  bool annotations_ = false, strict_ = false, quiet_ = false, verbose_ = false;
};

}  // namespace

std::unique_ptr<Subcommand<sgemm_workbench>> compare_subcommand() {
  return std::make_unique<CompareSubcommand>();
}

}  // namespace runner
