#include "runner/command_line_lab.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "labs/lab.hpp"
#include "runner/error.hpp"
#include "runner/select_labs.hpp"

namespace runner {
namespace {

constexpr const char* EXAMPLES =
    R"(
Examples:
  sgemm_runner lab                  the labs that there are
  sgemm_runner lab copy_stride      all its variants side by side
  sgemm_runner lab copy_stride/8    one of them
  sgemm_runner lab copy_stride --elements 1000
  sgemm_runner lab all --json=labs.json
)";

// "floats to copy (copy_stride, copy_width); floats to add (vector_add)"
std::string meaning_of(const std::string& name) {
  std::vector<std::pair<std::string, std::vector<std::string>>> meanings;
  for (const lab::Lab* one : lab::all()) {
    for (const lab::Parameter& parameter : one->parameters) {
      if (parameter.name != name) continue;
      auto known = std::ranges::find(meanings, parameter.meaning,
                                     [](const auto& meaning) { return meaning.first; });
      if (known == meanings.end()) known = meanings.insert(meanings.end(), {parameter.meaning, {}});
      known->second.emplace_back(one->name);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [meaning, labs] : meanings)
    texts.push_back(fmt::format("{} ({})", meaning, fmt::join(labs, ", ")));
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace

void add_lab_options(CLI::App& app, LabWords& words) {
  app.add_option("LABS", words.labs,
                 "copy_stride, copy_stride/8 for one variant, several, or all; none lists them");
  add_output_options(app, words.output);
  app.add_flag("--reveal", words.reveal, "tell how the lanes of a riddle walk, and its answer");
  add_measuring_options(app, words.measuring, "variant");
  for (const std::string& name : parameter_names(lab::all())) {
    auto& [_, value] = words.sizes.emplace_back(name, std::nullopt);
    app.add_option("--" + name, value, meaning_of(name))
        ->type_name("N")
        ->group("Sizes, of the labs that have them");
  }
  app.footer(EXAMPLES);
}

Request lab_request(const CLI::App& app, const LabWords& words,
                    const std::vector<std::string>& command_line) {
  if (words.labs.empty()) {
    const bool json = words.output.json == TO_STDOUT;
    if (app.count_all() > (json ? 2u : 1u)) {  // the subcommand itself is counted
      throw Error(ExitCode::usage, "name a lab, or all (see 'sgemm_runner lab', which lists them)");
    }
    return LabListRequest{.json = json};
  }
  LabRequest request;
  request.labs = select_labs(words.labs, lab::all());
  SizeWords sizes;
  for (const auto& [name, text] : words.sizes) {
    if (text) sizes.emplace_back(name, *text);
  }
  set_sizes(request.labs, sizes);
  request.presentation = presentation_from(app, words.output, &request.json_file);
  set_measuring(words.measuring, request);
  request.reveal = words.reveal;
  request.without_meaning = options_without_meaning(app);
  request.command_line = command_line;
  return request;
}

}  // namespace runner
