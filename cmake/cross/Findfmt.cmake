# Uses the headers of {fmt} alone, because this machine's library is for another processor.
find_path(fmt_HEADERS fmt/core.h REQUIRED)
set(fmt_FOUND TRUE)
foreach(target IN ITEMS fmt::fmt fmt::fmt-header-only)
  if(NOT TARGET ${target})
    add_library(${target} INTERFACE IMPORTED)  # /usr/include is searched anyway
    target_compile_definitions(${target} INTERFACE FMT_HEADER_ONLY)
  endif()
endforeach()
