// The command lines of `sgemm_runner lab` and `playground`, which shows the labs' requests.
#include <CLI/CLI.hpp>

#include "app/error.hpp"
#include "labs/lab.hpp"
#include "runner/choose/lab_workload.hpp"
#include "runner/cli/lab_options.hpp"
#include "runner/cli/options.hpp"
#include "runner/cli/subcommands.hpp"
#include "runner/machine/machine.hpp"
#include "runner/request/workbench_request.hpp"

namespace runner {
namespace {

constexpr const char* EXAMPLES =
    R"(
Examples:
  sgemm_runner lab                  list the labs
  sgemm_runner lab copy_stride      all its variants side by side
  sgemm_runner lab copy_stride/8    one variant
  sgemm_runner lab copy_stride --elements 1000
  sgemm_runner lab all --json=labs.json
)";

constexpr const char* PLAYGROUND_EXAMPLES =
    R"(
Examples:
  sgemm_runner playground           where the page is: open it in a browser
  sgemm_runner playground banks/32  the same, with a lab's request set
  sgemm_runner playground --output playground.html
)";

class LabSubcommand : public Subcommand<sgemm_workbench> {
 public:
  void add_options(CLI::App& app) override {
    app.add_option(
        "LABS", labs_,
        "copy_stride; copy_stride/8 for one variant; several, or all. Without any: the list");
    add_output_options(app, output_);
    app.add_flag("--reveal", reveal_, "also tell a riddle's answer, and how its lanes walk");
    add_measuring_options(app, measuring_, "variant");
    add_simulator_options(app, simulator_, true);
    add_lab_sizes(app, lab::all(), sizes_);
    app.footer(EXAMPLES);
  }

  WorkbenchRequest request(const CLI::App& app,
                           const std::vector<std::string>& command_line) const override {
    if (labs_.empty()) {
      const bool json = output_.json == TO_STDOUT;
      if (app.count_all() > (json ? 2u : 1u)) {  // the subcommand itself is counted
        throw Error(ExitCode::usage,
                    "name a lab, or all (see 'sgemm_runner lab', which lists them)");
      }
      return LabListRequest{.json = json};
    }
    LabRequest request;
    std::vector<SelectedLab> labs = select_labs(labs_, lab::all());
    set_sizes(labs, given(sizes_));
    request.workloads = workloads_of(labs);
    request.presentation = presentation_from(app, output_, &request.json_file);
    set_measuring(measuring_, request);
    set_simulator_options(simulator_, machine::KIND, request);
    request.look_for_hazards = true;
    request.reveal = reveal_;
    request.without_meaning = options_without_meaning(app);
    request.command_line = command_line;
    return request;
  }

 private:
  std::vector<std::string> labs_;
  LabSizeWords sizes_;
  OutputWords output_;
  MeasuringWords measuring_;
  SimulatorWords simulator_;
  bool reveal_ = false;
};

class PlaygroundSubcommand : public Subcommand<sgemm_workbench> {
 public:
  void add_options(CLI::App& app) override {
    app.add_option("PRESET", request_.preset, "open this lab (banks) or variant (banks/32)");
    app.add_option("--output", request_.output_file,
                   "write the page: one file, which needs no other")
        ->type_name("FILE");
    app.add_flag("--replace", request_.replace, "replace the file if it exists");
    app.footer(PLAYGROUND_EXAMPLES);
  }

  WorkbenchRequest request(const CLI::App&, const std::vector<std::string>&) const override {
    if (request_.replace && request_.output_file.empty()) {
      throw Error(ExitCode::usage,
                  "--replace is about the file of --output FILE, which is missing");
    }
    return request_;
  }

 private:
  PlaygroundRequest request_;
};

}  // namespace

std::unique_ptr<Subcommand<sgemm_workbench>> lab_subcommand() {
  return std::make_unique<LabSubcommand>();
}
std::unique_ptr<Subcommand<sgemm_workbench>> playground_subcommand() {
  return std::make_unique<PlaygroundSubcommand>();
}

}  // namespace runner
