// The command line of `sgemm_runner save`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/error.hpp"
#include "app/words.hpp"
#include "runner/choose/select.hpp"
#include "runner/cli/help.hpp"
#include "runner/cli/options.hpp"
#include "runner/cli/subcommands.hpp"
#include "runner/machine/machine.hpp"
#include "runner/request/workbench_request.hpp"
#include "runner/run/calls.hpp"

namespace runner {
namespace {

constexpr int MOST_RUNS = 100;

constexpr const char* EXAMPLES =
    R"(
KERNELS and options as for a run (sgemm_runner --help), or 'lab' and its options. Without any: all kernels.
Examples:
  sgemm_runner save base.json       all kernels, at the usual size
  sgemm_runner save base.json 9-12 --size 1024,4096
  sgemm_runner save base.json 2 --kernel mine.cu
  sgemm_runner save labs.json lab copy_stride
  sgemm_runner compare base.json    measure the same again; compare
)";

Error usage(const std::string& message) { return {ExitCode::usage, message}; }

class SaveSubcommand : public Subcommand<sgemm_workbench> {
 public:
  void add_options(CLI::App& app) override {
    app.add_option("FILE", file_, "the file to write")->option_text(NEEDED);
    app.add_option(
           "--runs", runs_,
           fmt::format("measure everything N times, each time in a new process (default {})",
                       usual_runs()))
        ->type_name("N");
    app.add_flag("--replace", replace_, "replace the file if it exists");
    app.allow_extras();
    app.footer(EXAMPLES);
  }

  WorkbenchRequest request(const CLI::App& app,
                           const std::vector<std::string>& command_line) const override {
    if (file_.empty()) throw usage("'save' needs a file: sgemm_runner save base.json");
    // If an option stood before the file, its value could be taken for the file.
    if (command_line.size() < 3 || command_line[2] != file_)
      throw usage("the file comes first: sgemm_runner save base.json, then kernels and options");
    refuse_a_kernel_for_a_file();
    SaveRequest request{.file = file_,
                        .words = app.remaining(),
                        .runs = usual_runs(),
                        .replace = replace_,
                        .command_line = command_line};
    if (runs_) request.runs = static_cast<int>(parse_integer("--runs", *runs_, 1, MOST_RUNS));
    refuse_output(request.words);
    complete(request.words);
    return request;
  }

 private:
  // Refuses "save 1-3", where the file was forgotten.
  void refuse_a_kernel_for_a_file() const {
    if (file_.find_first_of("./") != file_.npos) return;
    try {
      select(std::vector{file_}, ladder::all());
    } catch (const Error&) {
      return;
    }
    throw usage(fmt::format(
        "'{0}' names kernels: the file comes first, as in sgemm_runner save base.json {0}", file_));
  }

  static void refuse_output(const std::vector<std::string>& words) {
    for (const char* option :
         {"--json", "--csv", "--md", "--html", "-q", "--quiet", "-v", "--verbose", "--strict"}) {
      const auto is_it = [option](const std::string& word) {
        return word == option || word.starts_with(std::string(option) + "=");
      };
      if (std::ranges::any_of(words, is_it))
        throw usage(fmt::format("'save' writes its file and nothing else: leave out {}", option));
    }
  }

  static void complete(std::vector<std::string>& words) {
    const auto is_no_kernel = [](const std::string& word) { return word.starts_with('-'); };
    if (words.empty() || is_no_kernel(words.front())) {
      const bool has_a_file = !kernel_files_of(words).empty();
      if (!has_a_file) words.insert(words.begin(), "all");
    }
    const auto is_effort = [](const std::string& word) {
      return word == "--once" || word == "--time" || word.starts_with("--time=");
    };
    if (machine::MEASURES_TIME && std::ranges::none_of(words, is_effort))
      words.insert(words.end(), {"--time", fmt::format("{}", SECONDS_OF_A_RUN)});
  }

  std::string file_;
  std::optional<std::string> runs_;
  bool replace_ = false;
};

}  // namespace

std::unique_ptr<Subcommand<sgemm_workbench>> save_subcommand() {
  return std::make_unique<SaveSubcommand>();
}

}  // namespace runner
