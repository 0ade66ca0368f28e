#include "runner/cli/subcommands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "app/error.hpp"
#include "app/suggest.hpp"
#include "app/terminal.hpp"
#include "runner/cli/help.hpp"

namespace runner {
namespace {

constexpr int HELP_WIDTH = 80;  // if the terminal's is unknown

Error usage(const std::string& message) { return {ExitCode::usage, message}; }

// Returns the error for an option without its value, or with two values.
Error mismatched_option(const CLI::App& app, const CLI::ArgumentMismatch& error) {
  const std::string message = error.what();
  const std::string name = message.substr(0, message.find(':'));
  const CLI::Option* option = app.get_option_no_throw(name);
  if (option == nullptr) return usage(message);
  if (option->count() > 1) {
    return usage(fmt::format("{} stands there {} times; say it once", name, option->count()));
  }
  return usage(fmt::format("{} needs a value: {} {}", name, name, option->get_type_name()));
}

// Returns the error for an option that CLI11 does not know, with the nearest known option.
Error unknown_option(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string name = word.substr(0, word.find('='));
  return usage(fmt::format("unknown option '{}'{} (see --help)", name, did_you_mean(name, known)));
}

Error unknown_words(const CLI::App& app, const CLI::App& of, const CLI::ExtrasError& error) {
  const std::vector<std::string> words = app.remaining(true);
  for (const std::string& word : words) {
    if (word.starts_with("-")) return unknown_option(of, word);
  }
  if (&of == &app) return usage(error.what());
  return usage(fmt::format("'{}' does not take '{}' (see 'sgemm_runner {} --help')", of.get_name(),
                           words.front(), of.get_name()));
}

// Refuses '--json=', which CLI11 takes for '--json': a script's file name came out empty.
void refuse_before_parsing(const std::vector<std::string>& line) {
  if (std::ranges::find(line, "--json=") != line.end()) {
    throw usage("--json= needs a file name; --json alone prints JSON to stdout");
  }
  const auto is_json = [](const std::string& word) {
    return word == "--json" || word.starts_with("--json=");
  };
  if (std::ranges::count_if(line, is_json) > 1) {
    throw usage("--json stands there twice: it goes to stdout, or with --json=FILE into one file");
  }
}

// Refuses words before a subcommand, which would ignore them.
void refuse_if_misplaced(const CLI::App& app, const CLI::App& of,
                         const std::vector<std::string>& line) {
  if (&of == &app || line[1] == of.get_name()) return;
  throw usage(
      fmt::format("'{0}' takes no kernels and no options before it: say 'sgemm_runner {0} ...'",
                  of.get_name()));
}

}  // namespace

ParsedWords parse_words(CLI::App& app, int argc, const char* const* argv) {
  const std::vector<std::string> line(argv, argv + argc);
  refuse_before_parsing(line);
  const auto named = [&]() -> const CLI::App& {
    const auto subcommands = app.get_subcommands();
    return subcommands.empty() ? app : *subcommands.front();
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success&) {  // --help
    const int width = stdout_page(When::never).width;
    return {.help = help_text(named(), width > 0 ? width : HELP_WIDTH)};
  } catch (const CLI::ExtrasError& error) {
    refuse_if_misplaced(app, named(), line);
    throw unknown_words(app, named(), error);
  } catch (const CLI::ArgumentMismatch& error) {
    throw mismatched_option(named(), error);
  } catch (const CLI::ParseError& error) {
    throw usage(error.what());
  }
  refuse_if_misplaced(app, named(), line);
  return {.subcommand = &named() == &app ? nullptr : &named()};
}

void add_foreign_subcommand(CLI::App& app, const char* name, const char* what) {
  CLI::App* added = app.add_subcommand(name, what);
  added->set_help_flag();
  added->allow_extras();
}

}  // namespace runner
