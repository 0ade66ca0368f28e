#include "runner/terminal.hpp"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cstdlib>
#include <cstring>

namespace runner {
namespace {

std::string_view environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

int terminal_width(bool is_terminal) {
  const std::string_view columns = environment("COLUMNS");
  int width = 0;
  const auto [end, error] = std::from_chars(columns.data(), columns.data() + columns.size(), width);
  if (error == std::errc{} && end == columns.data() + columns.size() && width > 0) return width;
  winsize size{};
  if (is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) return size.ws_col;
  return 0;
}

}  // namespace

Terminal stdout_terminal(When color) {
  const bool is_terminal = isatty(STDOUT_FILENO) == 1;
  Terminal terminal;
  terminal.width = terminal_width(is_terminal);
  terminal.color =
      color == When::always || (color == When::automatic && is_terminal &&
                                environment("NO_COLOR").empty() && environment("TERM") != "dumb");
  std::setlocale(LC_CTYPE, "");
  terminal.unicode = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  return terminal;
}

int display_width(std::string_view text) {
  const auto starts_code_point = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  };
  return static_cast<int>(std::ranges::count_if(text, starts_code_point));
}

std::string wrap(std::string_view text, int width, int indent) {
  if (width <= 0) return std::string(text);
  std::string wrapped;
  int column = 0;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find(' ', start), text.size());
    const std::string_view word = text.substr(start, end - start);
    if (column > indent && column + 1 + display_width(word) > width) {
      wrapped += "\n" + std::string(static_cast<size_t>(indent), ' ');
      column = indent;
    } else if (start > 0) {
      wrapped += ' ';
      ++column;
    }
    wrapped += word;
    column += display_width(word);
    start = end + 1;
  }
  return wrapped;
}

}  // namespace runner
