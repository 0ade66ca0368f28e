# find_python_with(VARIABLE MODULES PACKAGE [PYTHON]): finds a Python that has MODULES ("a, b"). If the distribution's PACKAGE installed
# them, only the system's Python has them. CMake may have found another Python. PYTHON is a further one to try.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
function(find_python_with variable module package)
  foreach(python IN ITEMS ${Python3_EXECUTABLE} /usr/bin/python3 ${ARGN})
    execute_process(COMMAND ${python} -c "import ${module}" RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
    if(code EQUAL 0)
      set(${variable} ${python} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "Neither ${Python3_EXECUTABLE} nor /usr/bin/python3 has ${module}, which the build needs: "
    "install ${package}.")
endfunction()
