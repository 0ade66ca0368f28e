# find_python_with(VARIABLE MODULE PACKAGE): finds a Python that has MODULE. If the distribution's PACKAGE installed the
# module, only the system's Python has it. CMake may have found another Python.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
function(find_python_with variable module package)
  foreach(python IN ITEMS ${Python3_EXECUTABLE} /usr/bin/python3)
    execute_process(COMMAND ${python} -c "import ${module}" RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
    if(code EQUAL 0)
      set(${variable} ${python} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "Neither ${Python3_EXECUTABLE} nor /usr/bin/python3 has the module ${module}, which the build needs: "
    "install ${package}.")
endfunction()
