# For aarch64 Linux from a machine of another kind, with Debian's and Ubuntu's cross packages (g++-aarch64-linux-gnu).
# The libraries that are headers come from this machine; GoogleTest is built from its package's sources.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER clang-19)  # only because GoogleTest asks for one
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_AR llvm-ar-19 CACHE FILEPATH "The host's ar writes no index for another machine's objects")
set(CMAKE_RANLIB llvm-ranlib-19 CACHE FILEPATH "As for ar")
# Searched before CMake's own modules and package files, which describe this machine's libraries.
set(CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/cross)
