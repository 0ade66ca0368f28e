#include "results/sources/source_functions.hpp"

#include <regex>
#include <string>

namespace results {
namespace {

// Returns the source with blanks in place of comments, strings and preprocessor lines, so only the language's own
// braces remain. Keeps line breaks.
std::string code_of(std::string_view source) {
  std::string code(source);
  const auto blank = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < std::min(end, code.size()); ++i) {
      if (code[i] != '\n') code[i] = ' ';
    }
    return std::min(end, code.size());
  };
  const auto end_of_line = [&](size_t from) {
    size_t end = code.find('\n', from);
    while (end != code.npos && end > 0 && code[end - 1] == '\\') end = code.find('\n', end + 1);
    return std::min(end, code.size());
  };
  const auto behind = [&](std::string_view mark, size_t from) {
    const size_t found = code.find(mark, from);
    return found == code.npos ? code.size() : found + mark.size();
  };
  bool line_begins = true;
  for (size_t i = 0; i < code.size();) {
    const char c = code[i];
    const bool was_begin = line_begins;
    line_begins = c == '\n' || (was_begin && (c == ' ' || c == '\t'));
    if (code.compare(i, 2, "//") == 0 || (was_begin && c == '#')) {
      i = blank(i, end_of_line(i));
    } else if (code.compare(i, 2, "/*") == 0) {
      i = blank(i, behind("*/", i + 2));
    } else if (code.compare(i, 2, "R\"") == 0) {
      const size_t open = code.find('(', i);
      const std::string close =
          open == code.npos ? "\"" : ")" + code.substr(i + 2, open - i - 2) + "\"";
      i = blank(i, behind(close, i + 2));
    } else if (c == '"' ||
               (c == '\'' &&
                (i == 0 || std::isalnum(static_cast<unsigned char>(code[i - 1])) == 0))) {
      size_t end = i + 1;
      while (end < code.size() && code[end] != c && code[end] != '\n')
        end += code[end] == '\\' ? size_t{2} : size_t{1};
      i = blank(i, end + 1);
    } else {
      ++i;
    }
  }
  return code;
}

// True if these braces may contain functions: they belong to a namespace or a class.
bool holds_functions(const std::string& declaration) {
  static const std::regex of_a_namespace(R"(^\s*((inline\s+)?namespace\b|extern\s*$))");
  static const std::regex of_a_class(R"(^\s*(template\s*<[^;]*>\s*)?(struct|class|union|enum)\b)");
  static const std::regex alignment(R"((alignas|__align__)\s*\([^)]*\))");
  if (std::regex_search(declaration, of_a_namespace)) return true;
  const std::string plain = std::regex_replace(declaration, alignment, " ");
  return std::regex_search(plain, of_a_class) && plain.find('(') == plain.npos;
}

}  // namespace

std::vector<FunctionLines> functions_of(std::string_view source) {
  const std::string code = code_of(source);
  std::vector<FunctionLines> functions;
  std::string declaration;  // since the last declaration ended
  int begin = 0;            // its first line
  int depth = 0;            // of braces within a function
  int line = 1;
  for (const char c : code) {
    if (c == '\n') ++line;
    if (depth > 0) {
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      functions.back().last = line;
      if (depth == 0) declaration.clear();
    } else if (c == '{' && !holds_functions(declaration)) {
      functions.push_back({.first = declaration.empty() ? line : begin, .last = line});
      depth = 1;
    } else if (c == '{' || c == '}' || c == ';') {
      declaration.clear();
    } else if (!declaration.empty() || std::isspace(static_cast<unsigned char>(c)) == 0) {
      if (declaration.empty()) begin = line;
      declaration += c;
    }
  }
  return functions;
}

}  // namespace results
