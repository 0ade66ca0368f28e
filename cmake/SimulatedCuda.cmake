# add_simulated_cuda_sources(TARGET FILE.cu...)
#
# Compiles CUDA sources for the simulated GPU with simcc and adds the objects to TARGET, a target of this directory. The
# compiler gets the target's include directories and definitions, the build type's flags and the sanitizers. A source is
# compiled again when simcc, a header of the simulator or another header changes. Objects name rungs and labs by their
# paths in the project, so that no object holds the path of the machine that compiled it.
function(add_simulated_cuda_sources target)
  set(simulator_dir ${PROJECT_SOURCE_DIR}/src/simulator)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}")
  list(APPEND flags -std=c++${CMAKE_CXX_STANDARD} -Wall -Wextra)
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "/src/(kernels|labs)$")
    list(APPEND flags "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")
  endif()
  if(SGEMM_WARNINGS_AS_ERRORS)
    list(APPEND flags -Werror)
  endif()
  if(SGEMM_SANITIZE)
    list(APPEND flags -fsanitize=${SGEMM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  endif()
  set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")

  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    cmake_path(GET source FILENAME file)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.simulated/${file}.o)
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${target}.simulated)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E env "SIMCC_CLANG=${CMAKE_CXX_COMPILER}"
              "SIMCC_TARGET=${CMAKE_CXX_COMPILER_TARGET}" ${simulator_dir}/simcc
              -c ${source} -o ${object} -MD -MF ${object}.d ${flags}
              "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
              "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
      DEPENDS ${source} ${simulator_dir}/simcc ${simulator_dir}/widths.py ${simulator_dir}/grid_constants.py
              ${simulator_dir}/wrappers.py ${simulator_dir}/kernel_bounds.py
      DEPFILE ${object}.d
      COMMENT "Compiling ${file} for the simulated GPU"
      COMMAND_EXPAND_LISTS
      VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    target_sources(${target} PRIVATE ${object})
  endforeach()
endfunction()
