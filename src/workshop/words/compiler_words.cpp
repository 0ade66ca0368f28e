#include "workshop/words/compiler_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <utility>

#include "app/suggest.hpp"

namespace workshop {
namespace {

constexpr size_t MOST_ERRORS = 3;
// A longer line is cut: names of templates can be too long for a regular expression, and for a reader.
constexpr size_t LONGEST_LINE = 700;
constexpr size_t MOST_LINES = 8;  // of output without a known message

// --- the compilers' lines ----------------------------------------------------------------------------------------

// A line such as "mine.cu:34:7: error: ..." (clang; simcc's has no column) or "mine.cu(34): error: ..." (nvcc).
struct Said {
  std::string file;
  int line = 0, col = 0;
  std::string kind;  // "error", "note", "warning"
  std::string message;
};

std::optional<Said> said_in(const std::string& line) {
  static const std::regex clang(
      R"(^(.+?):(\d{1,9})(?::(\d{1,9}))?: (?:fatal )?(error|warning|note): (.*)$)");
  static const std::regex nvcc(
      R"(^(.+)\((\d{1,9})\): (?:catastrophic )?(error|warning|note)(?: #[0-9A-Z-]+)?: (.*)$)");
  std::smatch match;
  if (std::regex_match(line, match, clang)) {
    const int col = match[3].matched ? std::stoi(match[3]) : 0;
    return Said{match[1], std::stoi(match[2]), col, match[4], match[5]};
  }
  if (std::regex_match(line, match, nvcc)) {
    return Said{match[1], std::stoi(match[2]), 0, match[3], match[4]};
  }
  return std::nullopt;
}

// Returns a message of nvcc or the linker that names no line.
std::optional<std::string> said_of_all(const std::string& line) {
  static const std::regex begin(
      R"(^(?:At end of source|ptxas [^:]*|nvlink [^:]*|.*ld(?:\.\w+)?): *(?:(?:fatal *)?error *:)? *(.*)$)");
  static const std::regex error("error|At end of source|undefined");
  std::smatch match;
  if (!std::regex_search(line, error) || !std::regex_match(line, match, begin)) return std::nullopt;
  return match[1];
}

// Returns the line that leads into a header: "... at line 22 of /home/you/mine.cu" (nvcc; clang has a note for it).
std::optional<int> line_that_led_here(const std::string& line, const std::string& file) {
  static const std::regex at(R"(^ .* at line (\d{1,9}) of (.+)$)");
  std::smatch match;
  if (!std::regex_match(line, match, at) || match[2] != file) return std::nullopt;
  return std::stoi(match[1]);
}

// Returns the column of nvcc's mark, which stands below the source line. Both are indented by two.
std::optional<int> column_of_sign(const std::string& line) {
  const size_t sign = line.find_first_not_of(' ');
  if (sign == line.npos || sign < 2 || line.substr(sign) != "^") return std::nullopt;
  return static_cast<int>(sign) - 1;
}

// --- their messages, for readers who do not know the project ---------------------------------------------------------

std::string without(std::string text, const std::string& part) {
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at)) {
    text.erase(at, part.size());
  }
  return text;
}

std::string plain(std::string message) {
  static const std::regex option(R"( \[-W[^\]]*\]$)"), alias(R"( \(aka [^)]*\))");
  static const std::regex memory(
      R"(.*uses too much shared data \(0x([0-9a-f]{1,15}) bytes, 0x([0-9a-f]{1,15}) max\))");
  message = std::regex_replace(std::regex_replace(message, option, ""), alias, "");
  for (const char* insides : {"ladder::_NV_ANON_NAMESPACE::", "ladder::(anonymous namespace)::",
                              "(anonymous namespace)::", "ladder::"}) {
    message = without(message, insides);
  }
  std::smatch match;
  if (!std::regex_match(message, match, memory)) return message;
  return fmt::format("its __shared__ arrays take {} bytes, and a block may have {}",
                     std::stoll(match[1], nullptr, 16), std::stoll(match[2], nullptr, 16));
}

// Returns the words of the source that can be names, without comments.
std::vector<std::string> names_in(std::string_view source) {
  const auto is_of_a_name = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  };
  std::vector<std::string> names;
  for (const std::string_view line : text::lines_of(source)) {
    const std::string_view code = line.substr(0, line.find("//"));
    std::string name;
    for (const char c : code) {
      if (is_of_a_name(c)) {
        name += c;
      } else if (!name.empty()) {
        names.push_back(std::exchange(name, ""));
      }
    }
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

// Returns the undeclared name of an error, unless the compiler already suggests another.
std::string unknown_name(const CompilerError& error) {
  static const std::regex unknown(
      R"re(^(?:use of undeclared identifier '(\w+)'|identifier "(\w+)" is undefined)$)re");
  std::smatch match;
  if (!std::regex_match(error.message, match, unknown)) return "";
  return match[1].matched ? match[1] : match[2];
}

// Suggests a declared name for each undeclared one that is near it.
void suggest_names(std::string_view source, std::vector<CompilerError>& errors) {
  std::vector<std::string> names = names_in(source);
  names.emplace_back("__syncthreads");
  for (const CompilerError& error : errors) std::erase(names, unknown_name(error));
  for (CompilerError& error : errors) {
    const std::string name = unknown_name(error);
    if (!name.empty()) error.message += runner::did_you_mean(name, names);
  }
}

// Returns the part of a note without which the error is not clear.
std::string from_note(const Said& note) {
  static const std::regex value("^expression evaluates to '(.*)'$");
  static const std::regex candidate("^candidate function not viable: (.*)$");
  std::smatch match;
  if (std::regex_match(note.message, match, value))
    return fmt::format(" (it is {})", match[1].str());
  if (std::regex_match(note.message, match, candidate)) return ": " + plain(match[1]);
  return "";
}

// --- the learner's line ----------------------------------------------------------------------------------------------

std::string_view line_of(std::string_view source, int number) {
  const std::vector<std::string_view> lines = text::lines_of(source);
  if (number < 1 || number > std::ssize(lines)) return {};
  std::string_view line = lines[static_cast<size_t>(number) - 1];
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  return line;
}

// Returns the line with a mark below the column, both indented by four. A long line is cut to the part around
// the column.
std::string line_with_sign(std::string_view source, const CompilerError& error, int width) {
  std::string line(line_of(source, error.line));
  if (line.find_first_not_of(" \t") == line.npos) return "";
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';  // tabs and a terminal's control characters
  }
  const auto col = static_cast<size_t>(std::max(error.col - 1, 0));
  const size_t room = width <= 0 ? line.size() : static_cast<size_t>(std::max(width - 4, 20));
  const size_t indent = line.find_first_not_of(' ');
  size_t begin = error.col > 0 ? std::min(indent, col) : indent;
  if (col >= begin + room) begin = col - room / 2;
  std::string text = "    " + line.substr(begin, room) + "\n";
  if (error.col > 0) text += std::string(4 + col - begin, ' ') + "^\n";
  return text;
}

}  // namespace

std::vector<CompilerError> compiler_errors(std::string_view output, const std::string& file,
                                           std::string_view source) {
  std::vector<CompilerError> errors;
  CompilerError* last = nullptr;  // the owner of the notes that follow; nullptr after a warning
  bool is_in_header = false;      // true if the last error was found in a header
  int led_by_line = 0,
      led_by_col = 0;  // the place in the learner's file that leads into the header
  int candidates = 0;
  std::string note;  // the last error's note, if it is the only one of its kind
  bool lacks_a_brace = false;

  const auto finish_last = [&] {
    if (last == nullptr) return;
    if (is_in_header) {
      last->line = led_by_line;
      last->col = led_by_col;
    }
    if (candidates <= 1) last->message += note;
    note.clear();
    candidates = 0;
    // The host half and the device half of a program give the same error.
    if (std::ranges::count(errors, *last) > 1) errors.pop_back();
    last = nullptr;
  };

  for (const std::string_view view : text::lines_of(output)) {
    const std::string line(view.substr(0, std::min(view.find('\r'), LONGEST_LINE)));
    if (const std::optional<Said> said = said_in(line)) {
      const bool is_own = said->file == file;
      if (said->kind == "error") {
        finish_last();
        last = &errors.emplace_back(CompilerError{said->line, said->col, plain(said->message)});
        is_in_header = !is_own;
      } else if (said->kind == "warning") {
        finish_last();
      } else if (last != nullptr) {
        if (is_in_header && is_own) {
          led_by_line = said->line;
          led_by_col = said->col;
        }
        if (said->message.starts_with("candidate")) ++candidates;
        if (note.empty()) note = from_note(*said);
      }
    } else if (const std::optional<std::string> message = said_of_all(line)) {
      finish_last();
      lacks_a_brace |= message->find("expected a \"}\"") != message->npos;
      if (!lacks_a_brace || errors.empty()) errors.push_back({.message = plain(*message)});
    } else if (last != nullptr && is_in_header) {
      if (const std::optional<int> led = line_that_led_here(line, file)) {
        led_by_line = *led;
        led_by_col = 0;
      }
    } else if (last != nullptr && last->col == 0) {
      last->col = column_of_sign(line).value_or(0);
    }
  }
  finish_last();
  suggest_names(source, errors);

  // A missing brace is reported at the end of the file, long after the errors that it causes.
  for (const CompilerError& error : errors) {
    lacks_a_brace |= error.message == "expected '}'";
  }
  if (lacks_a_brace) {
    const auto first = std::ranges::find(errors, "function definition is not allowed here",
                                         &CompilerError::message);
    (first == errors.end() ? errors.front() : *first).message +=
        " (a '}' seems to be missing somewhere above)";
  }
  return errors;
}

std::string compiler_words(std::string_view output, const std::string& file,
                           std::string_view source, const text::Page& page) {
  const std::vector<CompilerError> errors = compiler_errors(output, file, source);
  std::string words;
  for (size_t i = 0; i < std::min(errors.size(), MOST_ERRORS); ++i) {
    const CompilerError& error = errors[i];
    const std::string where = error.line > 0 ? fmt::format("line {}: ", error.line) : "";
    words += text::wrap(where + error.message, page.width, 2) + "\n";
    words += line_with_sign(source, error, page.width);
  }
  if (errors.size() > MOST_ERRORS) {
    const size_t more = errors.size() - MOST_ERRORS;
    words += fmt::format("and {} more error{}; often the first has brought them about\n", more,
                         more == 1 ? "" : "s");
  }
  if (!errors.empty()) return words;
  const std::vector<std::string_view> lines = text::lines_of(output);
  for (size_t i = 0; i < std::min(lines.size(), MOST_LINES); ++i) {
    words += std::string(lines[i]) + "\n";
  }
  return words.empty() ? "the compiler says nothing of why\n" : words;
}

}  // namespace workshop
