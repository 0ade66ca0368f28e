#include "runner/cli/help.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>

#include "text/page.hpp"

namespace runner {
namespace {

constexpr int NAMES_WIDTH = 22;
constexpr int EXAMPLE_WIDTH = 36;  // columns of a command in the footer; its meaning follows

// Returns "  --size N|MxNxK      its meaning", wrapped after the names.
std::string entry(const std::string& names, const std::string& description, int width) {
  std::string line = "  " + names;
  const int used = text::display_width(line);
  std::string text;
  if (used + 2 > NAMES_WIDTH) {
    text = line + "\n";
    line = std::string(NAMES_WIDTH, ' ');
  } else {
    line += std::string(static_cast<size_t>(NAMES_WIDTH - used), ' ');
  }
  // wrap() breaks at single spaces, so the indentation is added after it.
  const std::string wrapped = text::wrap(description, width > 0 ? width - NAMES_WIDTH : 0, 0);
  for (const std::string_view part : text::lines_of(wrapped)) {
    text += fmt::format("{}{}\n", line, part);
    line = std::string(NAMES_WIDTH, ' ');
  }
  return text;
}

std::string names_of(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name();
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (!option.get_type_name().empty()) {
    // An optional value is written after '='.
    text += (option.get_type_name().starts_with("[") ? "" : " ") + option.get_type_name();
  }
  return text;
}

}  // namespace

std::string help_text(const CLI::App& app, int width) {
  const bool is_subcommand = app.get_parent() != nullptr;
  std::string usage =
      fmt::format("Usage: {}{}", is_subcommand ? "sgemm_runner " : "", app.get_name());
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const char* more = option->get_expected_max() > 1 ? "..." : "";
    const std::string word = option->get_name() + more;
    usage += option->get_option_text() == NEEDED ? " " + word : " [" + word + "]";
  }
  std::string text = text::wrap(app.get_description(), width, 0) + "\n\n" + usage + " [options]\n";
  const auto subcommands = app.get_subcommands([](const CLI::App*) { return true; });
  if (!subcommands.empty()) {
    text += fmt::format("       {} COMMAND [options]\n", app.get_name());
  }
  for (const std::string& group : app.get_groups()) {
    if (group.empty()) continue;  // hidden
    text += "\n" + (group == "Options" ? std::string("Options:") : group + ":") + "\n";
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_group() == group || (option->get_positional() && group == "Options")) {
        text += entry(names_of(*option), option->get_description(), width);
      }
    }
  }
  if (!subcommands.empty()) {
    text += "\nCommands (each has its own --help):\n";
    for (const CLI::App* subcommand : subcommands) {
      text += entry(subcommand->get_name(), subcommand->get_description(), width);
    }
  }
  const std::string footer = app.get_footer();
  for (const std::string_view line : text::lines_of(footer)) {
    text += text::wrap(line, width, line.starts_with(' ') ? EXAMPLE_WIDTH : 0) + "\n";
  }
  return text;
}

}  // namespace runner
