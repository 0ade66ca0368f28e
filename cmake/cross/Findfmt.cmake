# Uses the headers of {fmt} alone, because this machine's library is for another processor.
find_path(fmt_HEADERS fmt/core.h REQUIRED)
set(fmt_FOUND TRUE)
if(NOT TARGET fmt::fmt)
  add_library(fmt::fmt INTERFACE IMPORTED)  # /usr/include is searched anyway
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
endif()
