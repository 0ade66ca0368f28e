# add_simulated_cuda_sources(TARGET FILE.cu...)
#
# Compiles CUDA sources for the simulated GPU with simcc and adds the objects to TARGET, a target of this directory. The
# compiler gets the target's include directories and definitions, the build type's flags and the sanitizers. A source is
# compiled again when simcc, a header of the simulator or another header changes. The variable SIMULATED_CUDA_FLAGS has further options
# for simcc.
#
# This file is also installed, beside simcc.

# simulated_cuda_flags(FLAGS): the flags for every target: the build type's, warnings, sanitizers.
function(simulated_cuda_flags result)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}")
  if(CMAKE_CXX_STANDARD)
    list(APPEND flags -std=c++${CMAKE_CXX_STANDARD})
  endif()
  if(SGEMM_WARNINGS)
    list(APPEND flags -Wall -Wextra)
  endif()
  if(SGEMM_WARNINGS_AS_ERRORS)
    list(APPEND flags -Werror)
  endif()
  if(SGEMM_SANITIZE)
    list(APPEND flags -fsanitize=${SGEMM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  endif()
  set(${result} ${flags} PARENT_SCOPE)
endfunction()

function(add_simulated_cuda_sources target)
  set(simulator_dir ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  file(GLOB tools ${simulator_dir}/*.py)
  list(REMOVE_ITEM tools ${simulator_dir}/subset.py)  # no code depends on it
  set(clang "")  # simcc finds one
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 19)
    set(clang ${CMAKE_CXX_COMPILER})
  endif()
  simulated_cuda_flags(flags)
  list(APPEND flags ${SIMULATED_CUDA_FLAGS})
  get_target_property(independent ${target} POSITION_INDEPENDENT_CODE)
  if(independent)
    list(APPEND flags -fPIC)
  endif()
  get_target_property(visibility ${target} CXX_VISIBILITY_PRESET)
  if(visibility)
    list(APPEND flags -fvisibility=${visibility})
  endif()
  set(precompiled "")
  if(TARGET headers_of_sources)
    set(precompiled ${PROJECT_BINARY_DIR}/precompiled)
    add_dependencies(${target} headers_of_sources)
  endif()
  set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)  # it may have no other sources

  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    cmake_path(GET source FILENAME file)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.simulated/${file}.o)
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${target}.simulated)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E env "SIMCC_CLANG=${clang}"
              "SIMCC_TARGET=${CMAKE_CXX_COMPILER_TARGET}" "SIMCC_PRECOMPILED=${precompiled}" ${simulator_dir}/simcc
              -c ${source} -o ${object} -MD -MF ${object}.d ${flags}
              "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
              "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
      DEPENDS ${source} ${simulator_dir}/simcc ${simulator_dir}/command_line.bash ${tools}
      DEPFILE ${object}.d
      COMMENT "Compiling ${file} for the simulated GPU"
      COMMAND_EXPAND_LISTS
      VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    target_sources(${target} PRIVATE ${object})
  endforeach()
endfunction()
