# Uses the headers of {fmt} alone, since this machine's library does not fit the target.
find_path(fmt_HEADERS fmt/core.h REQUIRED)
set(fmt_FOUND TRUE)
if(NOT TARGET fmt::fmt)
  add_library(fmt::fmt INTERFACE IMPORTED)  # /usr/include is searched anyway
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
endif()
