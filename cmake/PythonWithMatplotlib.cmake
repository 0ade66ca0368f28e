# PYTHON_WITH_MATPLOTLIB: a Python that plots/ can draw with, which need not be the one that CMake found.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
execute_process(
  COMMAND ${Python3_EXECUTABLE} -B -c "from plots import style; print(style.find_python() or '', end='')"
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE PYTHON_WITH_MATPLOTLIB COMMAND_ERROR_IS_FATAL ANY)
if(NOT PYTHON_WITH_MATPLOTLIB)
  message(FATAL_ERROR "Plots need matplotlib, and neither python3 on the PATH nor /usr/bin/python3 has it: "
    "install python3-matplotlib and python3-numpy.")
endif()
