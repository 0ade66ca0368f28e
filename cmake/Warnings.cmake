# The warnings for all code of this project. A target that links `warnings` gets them. Only .ci/run makes them errors: an
# unknown compiler may give further warnings, and its user should still get a program.
option(SGEMM_WARNINGS_AS_ERRORS "Make warnings errors, as .ci/run does" OFF)
add_library(warnings INTERFACE)
set(SGEMM_WARNINGS warnings)  # empty if the project is a part of another one, whose compiler may know other warnings
target_compile_options(warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall>
  $<$<COMPILE_LANGUAGE:CXX>:-Wextra>
  $<$<COMPILE_LANGUAGE:CXX>:-Wpedantic>
  $<$<COMPILE_LANGUAGE:CXX>:-Wshadow>
  $<$<COMPILE_LANGUAGE:CXX>:-Wconversion>
  $<$<COMPILE_LANGUAGE:CXX>:-Wsign-conversion>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast>
  # GCC 12 wrongly reports overlaps in std::string's concatenation (its bug 105651).
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler -Wall,-Wextra>")
if(SGEMM_WARNINGS_AS_ERRORS)
  target_compile_options(warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror>
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler -Werror>"
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings>")
endif()
