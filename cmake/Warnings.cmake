# The warnings of all code of this project. A target asks for them by linking to `warnings`. They are errors in .ci/run only:
# an unknown compiler may warn of more, and its user is to get a program all the same.
option(SGEMM_WARNINGS_AS_ERRORS "Stop at a warning, as .ci/run does" OFF)
add_library(warnings INTERFACE)
target_compile_options(warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall>
  $<$<COMPILE_LANGUAGE:CXX>:-Wextra>
  $<$<COMPILE_LANGUAGE:CXX>:-Wpedantic>
  $<$<COMPILE_LANGUAGE:CXX>:-Wshadow>
  $<$<COMPILE_LANGUAGE:CXX>:-Wconversion>
  $<$<COMPILE_LANGUAGE:CXX>:-Wsign-conversion>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast>
  # GCC 12 sees overlaps in std::string's concatenation that are not there (its bug 105651).
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler -Wall,-Wextra>")
if(SGEMM_WARNINGS_AS_ERRORS)
  target_compile_options(warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror>
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler -Werror>"
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings>")
endif()
