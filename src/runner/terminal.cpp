#include "runner/terminal.hpp"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <string_view>

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

text::Page stdout_page(When color) {
  const bool is_terminal = isatty(STDOUT_FILENO) == 1;
  text::Page page;
  page.width = terminal_width(is_terminal);
  page.color =
      color == When::always || (color == When::automatic && is_terminal &&
                                environment("NO_COLOR").empty() && environment("TERM") != "dumb");
  std::setlocale(LC_CTYPE, "");
  page.unicode = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  return page;
}

}  // namespace runner
