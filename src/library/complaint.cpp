#include "library/complaint.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <string_view>

namespace library {
namespace {

thread_local const char* function_name = "";
thread_local const char* argument_names = "";
thread_local std::array<char, 400> text{};

// Returns an argument's number, from 1.
int number_of(std::string_view argument) {
  std::string_view names = argument_names;
  for (int number = 1; !names.empty(); ++number) {
    const std::string_view name = names.substr(0, names.find(' '));
    if (name == argument) return number;
    names.remove_prefix(name.size() + (name.size() < names.size() ? 1 : 0));
  }
  return 0;
}

// Appends to the text, behind its first `length` characters.
void append(int length, const char* format, std::va_list values) {
  std::vsnprintf(text.data() + length, text.size() - static_cast<size_t>(length), format, values);
}

}  // namespace

void begin_call(const char* function, const char* arguments) {
  function_name = function;
  argument_names = arguments;
  text[0] = '\0';
}

void complain(const char* format, ...) {
  const int length = std::snprintf(text.data(), text.size(), "%s: ", function_name);
  std::va_list values;
  va_start(values, format);
  append(length, format, values);
  va_end(values);
}

void complain_of(const char* argument, const char* format, ...) {
  const int length = std::snprintf(text.data(), text.size(), "%s: argument %d (%s) ", function_name,
                                   number_of(argument), argument);
  std::va_list values;
  va_start(values, format);
  append(length, format, values);
  va_end(values);
}

const char* complaint() { return text.data(); }

}  // namespace library
