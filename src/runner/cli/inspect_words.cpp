// The command lines of `sgemm_runner profile`, `sass` and `ptx`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "labs/lab.hpp"
#include "runner/choose/select_workloads.hpp"
#include "runner/cli/lab_options.hpp"
#include "runner/cli/options.hpp"
#include "runner/cli/subcommands.hpp"
#include "runner/request/workbench_request.hpp"

namespace runner {
namespace {

/// The options that the three share: workloads, and colour.
class Inspection : public Subcommand<sgemm_workbench> {
 protected:
  void add_names(CLI::App& app) {
    app.add_option("KERNELS", names_,
                   "rungs and labs: 2, naive, 1-3, copy_stride, copy_stride/8, or all");
    add_color_option(app, color_);
  }

  /// Adds the sizes after all other options: see add_lab_sizes().
  void add_sizes(CLI::App& app) {
    app.add_option(
           "--size", sizes_,
           fmt::format("size of the rungs: N for M = N = K, or MxNxK (default {})", WORKLOAD_SIZE))
        ->allow_extra_args(false)
        ->type_name("N|MxNxK");
    add_lab_sizes(app, lab::all(), lab_sizes_);
  }

  std::vector<Workload> workloads() const {
    return select_workloads({.names = names_, .sizes = sizes_, .parameters = given(lab_sizes_)});
  }
  When color() const { return parse_color(color_); }

 private:
  std::vector<std::string> names_, sizes_;
  LabSizeWords lab_sizes_;
  std::string color_ = "auto";
};

void add_json(CLI::App& app, std::string& json) {
  app.add_flag("--json{-}", json, "print JSON; --json=FILE writes it to a file")
      ->type_name("[=FILE]");
}

class ProfileSubcommand : public Inspection {
 public:
  void add_options(CLI::App& app) override {
    add_names(app);
    add_json(app, json_);
    app.add_flag(
        "--once", once_,
        "only launch it once and print nothing, for your profiler (ncu --profile-from-start off)");
    add_sizes(app);
  }

  WorkbenchRequest request(const CLI::App&,
                           const std::vector<std::string>& command_line) const override {
    return ProfileRequest{.workloads = workloads(),
                          .json_file = json_ == TO_STDOUT ? "" : json_,
                          .json_to_stdout = json_ == TO_STDOUT,
                          .color = color(),
                          .once = once_,
                          .command_line = command_line};
  }

 private:
  std::string json_;
  bool once_ = false;
};

// Has no sizes: machine code is the same at any size.
class SassSubcommand : public Inspection {
 public:
  void add_options(CLI::App& app) override {
    add_names(app);
    add_json(app, json_);
    app.add_option("--program", program_,
                   "read this program, library or object file that nvcc made")
        ->type_name("FILE");
  }

  WorkbenchRequest request(const CLI::App&, const std::vector<std::string>&) const override {
    return SassRequest{.workloads = workloads(),
                       .json_file = json_ == TO_STDOUT ? "" : json_,
                       .json_to_stdout = json_ == TO_STDOUT,
                       .color = color(),
                       .program = program_};
  }

 private:
  std::string json_, program_;
};

class PtxSubcommand : public Inspection {
 public:
  void add_options(CLI::App& app) override {
    add_names(app);
    add_reveal_option(app, reveal_);
    add_sizes(app);
  }

  WorkbenchRequest request(const CLI::App&, const std::vector<std::string>&) const override {
    PtxRequest request{.workloads = workloads(), .color = color()};
    if (!reveal_) refuse_riddles(request.workloads, "ptx");
    return request;
  }

 private:
  bool reveal_ = false;
};

}  // namespace

std::unique_ptr<Subcommand<sgemm_workbench>> profile_subcommand() {
  return std::make_unique<ProfileSubcommand>();
}
std::unique_ptr<Subcommand<sgemm_workbench>> sass_subcommand() {
  return std::make_unique<SassSubcommand>();
}
std::unique_ptr<Subcommand<sgemm_workbench>> ptx_subcommand() {
  return std::make_unique<PtxSubcommand>();
}

}  // namespace runner
