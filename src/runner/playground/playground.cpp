// `sgemm_runner playground`: prints the page's address, or writes the page.
#include "runner/playground/playground.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <string_view>
#include <vector>

#include "app/output.hpp"
#include "app/project.hpp"
#include "app/suggest.hpp"
#include "runner/playground/page.hpp"
#include "runner/playground/presets.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

// Returns the page in the tree. A test checks that it equals this program's page.
fs::path page_file() { return path_of_name("docs/playground.html"); }

Error usage(const std::string& message) { return {ExitCode::usage, message}; }

// Returns "1" for the lesson "01_naive", and nothing for a lab.
std::string rung_number_of(const std::string& lesson) {
  const size_t digits = lesson.find_first_not_of("0123456789");
  if (digits == 0 || digits == lesson.npos || lesson[digits] != '_') return "";
  return std::to_string(std::stoi(lesson));
}

// Returns the preset's name as the page spells it. A lesson's name means its first preset.
std::string preset_named(const std::string& word) {
  std::vector<std::string> known;
  for (const playground::Lesson& lesson : playground::lessons()) {
    // A rung's number is enough: "1" is "01_naive".
    const bool is_number = word == rung_number_of(lesson.name);
    if (word == lesson.name || is_number) return lesson.presets.front().name;
    known.push_back(lesson.name);
    for (const playground::Preset& preset : lesson.presets) {
      known.push_back(preset.name);
      if (word == preset.name) return word;
    }
  }
  throw usage(fmt::format("the playground has no preset '{}'{} (its list is on the page)", word,
                          did_you_mean(word, known)));
}

// Returns "file:///home/me/a%20b.html".
std::string address_of_file(const fs::path& file) {
  std::string address = "file://";
  for (const char c : fs::absolute(file).lexically_normal().string()) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                          std::string_view("/-._~").find(c) != std::string_view::npos;
    address += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return address;
}

void write_page(const PlaygroundRequest& request) {
  require_free_or_replaced(request.output_file, request.replace);
  OutputFile(request.output_file).commit(playground::page());
}

}  // namespace

ExitCode run(const PlaygroundRequest& request) {
  const std::string preset = request.preset.empty() ? "" : "#" + preset_named(request.preset);
  std::error_code none;
  fs::path file = page_file();
  if (!request.output_file.empty()) {
    write_page(request);
    file = request.output_file;
    if (!fs::is_regular_file(file, none)) return ExitCode::ok;  // a pipe has no address
  } else if (!fs::is_regular_file(file, none)) {
    throw usage(
        fmt::format("'{}' is not there: --output FILE writes the page", page_file().string()));
  }
  write_stdout(address_of_file(file) + preset + "\n");
  if (request.output_file.empty()) {
    warn("open this address in a browser; --output FILE writes the page elsewhere");
  }
  return ExitCode::ok;
}

}  // namespace runner
