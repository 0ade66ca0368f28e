#include "text/terminal.hpp"

#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace text {
namespace {

std::string_view environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

int width_of(int descriptor) {
  const std::string_view columns = environment("COLUMNS");
  int width = 0;
  const auto [end, error] = std::from_chars(columns.data(), columns.data() + columns.size(), width);
  if (error == std::errc{} && end == columns.data() + columns.size() && width > 0) return width;
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool locale_is_utf8() {
  const locale_t locale = newlocale(LC_CTYPE_MASK, "", nullptr);
  if (locale == nullptr) return false;
  const bool is_utf8 = std::string_view(nl_langinfo_l(CODESET, locale)) == "UTF-8";
  freelocale(locale);
  return is_utf8;
}

}  // namespace

Page page_of_stream(int descriptor) {
  return {.color = isatty(descriptor) == 1 && environment("NO_COLOR").empty() &&
                   environment("TERM") != "dumb",
          .unicode = locale_is_utf8(),
          .width = width_of(descriptor)};
}

}  // namespace text
