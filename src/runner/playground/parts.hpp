// The files that the page is made of, as CMake puts them into the program; PRESETS is exercises/playground.txt.
#pragma once

#include <string_view>

namespace runner::playground {

extern const std::string_view PAGE_HTML, PAGE_CSS, PAGE_JS, PRESETS;

}  // namespace runner::playground
