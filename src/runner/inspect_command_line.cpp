#include "runner/inspect_command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <string_view>

#include "runner/error.hpp"
#include "runner/words.hpp"

namespace runner {

struct InspectCommandLine::Words {
  std::vector<const CLI::App*> subcommands;
  std::vector<std::string> names, sizes;
  std::map<std::string, std::string> parameters;
  std::string json, color = "auto", program;
  bool once = false;
};

namespace {

const std::string TO_STDOUT = "-";

When when_from(const std::string& word) {
  const std::vector<std::string> known{"auto", "always", "never"};
  const auto found = std::ranges::find(known, word);
  if (found == known.end()) {
    throw Error(ExitCode::usage,
                fmt::format("--color '{}' is not understood: write auto, always or never", word));
  }
  return static_cast<When>(found - known.begin());
}

std::string file_of(const std::string& json) { return json == TO_STDOUT ? "" : json; }

}  // namespace

InspectCommandLine::InspectCommandLine() : words_(std::make_unique<Words>()) {}
InspectCommandLine::~InspectCommandLine() = default;

void InspectCommandLine::add(CLI::App& subcommand) {
  const std::string name = subcommand.get_name();
  if (name != "profile" && name != "sass" && name != "ptx") return;
  Words& words = *words_;
  words.subcommands.push_back(&subcommand);
  subcommand.add_option("KERNELS", words.names,
                        "rungs and labs: 2, naive, 1-3, copy_stride, copy_stride/8, or all");
  if (name != "ptx") {
    subcommand.add_flag("--json{-}", words.json, "JSON on stdout; --json=FILE writes it to a file")
        ->type_name("[=FILE]");
  }
  subcommand.add_option("--color", words.color, "auto, always or never")->type_name("WHEN");
  if (name == "sass") {
    subcommand
        .add_option("--program", words.program,
                    "look into this one of nvcc's programs, libraries or object files")
        ->type_name("FILE");
    return;
  }
  subcommand.add_option("--size", words.sizes, "of rungs: N for M = N = K, or MxNxK (default 256)")
      ->allow_extra_args(false)
      ->type_name("N|MxNxK");
  for (const lab::Lab* lab : lab::all()) {
    for (const lab::Parameter& parameter : lab->parameters) {
      const std::string option = std::string("--") + parameter.name;
      if (subcommand.get_option_no_throw(option) != nullptr) continue;  // another lab's
      subcommand
          .add_option(option, words.parameters[parameter.name],
                      fmt::format("of labs: {}", parameter.meaning))
          ->type_name("N");
    }
  }
  if (name == "profile") {
    subcommand.add_flag("--once", words.once,
                        "only launch it, once and in silence, for a profiler of yours "
                        "(ncu --profile-from-start off)");
  }
}

std::optional<Request> InspectCommandLine::request(
    const std::vector<std::string>& command_line) const {
  const Words& words = *words_;
  const auto asked = std::ranges::find_if(
      words.subcommands, [](const CLI::App* subcommand) { return subcommand->parsed(); });
  if (asked == words.subcommands.end()) return std::nullopt;
  SubjectWords subjects{.names = words.names, .sizes = words.sizes, .parameters = {}};
  for (const auto& [name, value] : words.parameters) {
    if (value.empty()) continue;
    subjects.parameters.emplace_back(
        name, parse_integer(("--" + name).c_str(), value, 0, std::numeric_limits<int64_t>::max()));
  }
  const When color = when_from(words.color);
  const std::string name = (*asked)->get_name();
  if (name == "profile") {
    return ProfileRequest{.subjects = select_subjects(subjects),
                          .json_file = file_of(words.json),
                          .json_to_stdout = words.json == TO_STDOUT,
                          .color = color,
                          .once = words.once,
                          .command_line = command_line};
  }
  if (name == "sass") {
    return SassRequest{.subjects = select_subjects(subjects),
                       .json_file = file_of(words.json),
                       .json_to_stdout = words.json == TO_STDOUT,
                       .color = color,
                       .program = words.program};
  }
  return PtxRequest{.subjects = select_subjects(subjects), .color = color};
}

}  // namespace runner
