// The command line of the second program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <array>

#include "app/error.hpp"
#include "runner/cli/lab_options.hpp"
#include "runner/cli/subcommands.hpp"
#include "runner/cli/workbench_command_line.hpp"
#include "runner/machine/machine.hpp"
#include "test/runner/cli/usage_refusal.hpp"

namespace {

using runner::Format;
using testing::HasSubstr;

runner::WorkbenchRequest parse(std::vector<const char*> words) {
  words.insert(words.begin(), "sgemm_runner");
  return runner::parse_workbench_command_line(static_cast<int>(words.size()), words.data());
}

std::string refusal(const std::vector<const char*>& words) {
  return usage_refusal([&] { parse(words); });
}

TEST(WorkbenchCommandLine, TakesLabsAndTheirSizes) {
  const auto request = std::get<runner::LabRequest>(
      parse({"lab", "copy_stride/8", "--elements", "1000", "--json=labs.json", "--samples", "7",
             "--time", "0.5", "--once", "--strict", "--reveal", "-v", "--md"}));
  ASSERT_EQ(request.workloads.size(), 1u);
  EXPECT_EQ(request.workloads[0].asked, "copy_stride/8 --elements 1000");
  EXPECT_EQ(request.json_file, "labs.json");
  EXPECT_EQ(request.presentation.format, Format::markdown);
  EXPECT_EQ(request.presentation.verbosity, 1);
  EXPECT_EQ(request.measure, (results::MeasureOptions{.once = true, .seconds = 0.5, .samples = 7}));
  EXPECT_TRUE(request.strict);
  EXPECT_TRUE(request.reveal);
  EXPECT_EQ(request.command_line.front(), "sgemm_runner");
  EXPECT_EQ(request.without_meaning.empty(), runner::machine::MEASURES_TIME);
}

TEST(WorkbenchCommandLine, LooksForHazardsInEveryLab) {
  EXPECT_TRUE(std::get<runner::LabRequest>(parse({"lab", "banks"})).look_for_hazards);
  if (runner::machine::MEASURES_TIME) {
    EXPECT_THAT(refusal({"lab", "banks", "--hazards"}), HasSubstr("compute-sanitizer"));
  } else {
    const auto request =
        std::get<runner::LabRequest>(parse({"lab", "banks", "--hazards", "--schedule", "3"}));
    EXPECT_TRUE(request.look_for_hazards);
    EXPECT_EQ(request.schedule, 3U);
  }
}

TEST(WorkbenchCommandLine, TakesAllLabsInTheSizesOfThisMachine) {
  const auto request = std::get<runner::LabRequest>(parse({"lab", "all", "--json"}));
  EXPECT_EQ(request.presentation.format, Format::json);
  EXPECT_FALSE(request.reveal);
  auto workload = request.workloads.begin();
  for (const lab::Lab* of : lab::all()) {
    const lab::Sizes sizes =
        runner::machine::MEASURES_TIME ? lab::timed_sizes(*of) : lab::counted_sizes(*of);
    for (const lab::Variant& variant : of->variants) {
      ASSERT_NE(workload, request.workloads.end());
      EXPECT_EQ(workload->who.variant, variant.name);
      EXPECT_EQ((workload++)->who.parameters, sizes.all());
    }
  }
  EXPECT_EQ(workload, request.workloads.end());
}

// ---- Sizes of labs, as options.

// Returns the parameters without an option of their own, because the command has another option with that name.
std::string called_like_options(const CLI::App& app, const std::string& command,
                                std::span<const lab::Lab* const> labs) {
  std::string clashes;
  for (const lab::Lab* one : labs) {
    for (const lab::Parameter& parameter : one->parameters) {
      const std::string name = std::string("--") + parameter.name;
      const CLI::Option* option = app.get_option_no_throw(name);
      if (option != nullptr && option->get_group() == runner::LAB_SIZES) continue;
      clashes += std::string("parameter '") + parameter.name + "' of lab '" + one->name +
                 "' is called like option " + name + " of '" + command + "'\n";
    }
  }
  return clashes;
}

TEST(WorkbenchCommandLine, NoParameterOfALabIsCalledLikeAnOption) {
  std::string with_sizes;
  for (const auto& subcommand : runner::subcommand_table<runner::sgemm_workbench>()) {
    if (subcommand.make == nullptr) continue;  // a subcommand of another program
    const auto parser = subcommand.make();
    CLI::App app;
    parser->add_options(app);
    const std::vector<std::string> groups = app.get_groups();
    if (std::ranges::find(groups, runner::LAB_SIZES) == groups.end())
      continue;  // the command takes no sizes
    with_sizes += std::string(subcommand.name) + " ";
    EXPECT_EQ(called_like_options(app, subcommand.name, lab::all()), "");
  }
  EXPECT_EQ(with_sizes, "lab show profile ptx ");
}

TEST(WorkbenchCommandLine, AParameterThatIsCalledLikeAnOptionLeavesTheOptionAsItIs) {
  const lab::Lab one{.name = "my_lab",
                     .question = "",
                     .answer = "",
                     .parameters = {{.name = "size", .meaning = "", .counted = 1, .timed = 1},
                                    {.name = "rows", .meaning = "", .counted = 1, .timed = 1}},
                     .variants = {}};
  const std::array<const lab::Lab*, 1> labs{&one};
  CLI::App app;
  std::string size;
  app.add_option("--size", size, "of kernels");
  runner::LabSizeWords words;
  runner::add_lab_sizes(app, labs, words);
  app.parse("--size 7 --rows 5");
  EXPECT_EQ(size, "7");
  EXPECT_EQ(runner::given(words), (runner::SizeWords{{"rows", "5"}}));
  EXPECT_EQ(called_like_options(app, "run", labs),
            "parameter 'size' of lab 'my_lab' is called like option --size of 'run'\n");
}

TEST(WorkbenchCommandLine, ListsTheLabs) {
  EXPECT_FALSE(std::get<runner::LabListRequest>(parse({"lab"})).json);
  EXPECT_TRUE(std::get<runner::LabListRequest>(parse({"lab", "--json"})).json);
}

TEST(WorkbenchCommandLine, TakesNothingBeforeASubcommand) {
  EXPECT_THAT(refusal({"-q", "lab", "copy_stride"}),
              HasSubstr("'lab' takes no kernels and no options before it: say 'sgemm_runner lab"));
  EXPECT_THAT(refusal({"lab", "--qiuet"}), HasSubstr("did you mean '--quiet'?"));
}

TEST(WorkbenchCommandLine, ShowsTheHelpOfASubcommand) {
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{"lab", "--help"}, {"--help", "lab"}, {"lab", "copy_stride", "-h"}})
    EXPECT_THAT(std::get<runner::ShowText>(parse(words)).text,
                HasSubstr("Usage: sgemm_runner lab [LABS...] [options]"));
}

}  // namespace
