# Cross-compiles for aarch64 Linux with Debian's and Ubuntu's cross packages (g++-aarch64-linux-gnu). Header-only
# libraries come from this machine. GoogleTest is built from its package's sources.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER clang-19)  # only because GoogleTest asks for a C compiler
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_AR llvm-ar-19 CACHE FILEPATH "The host's ar writes no index for another machine's objects")
set(CMAKE_RANLIB llvm-ranlib-19 CACHE FILEPATH "The host's ranlib writes no index for another machine's objects")
# CMake searches this folder before its own modules and package files, which describe this machine's libraries.
set(CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/cross)
