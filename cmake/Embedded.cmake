# The project as a part of another one: adds the library sgemm_ladder::sgemm and what it needs.
#
# SGEMM_MACHINE is the machine that the library runs on. By default it is cuda; sim is the simulated GPU, for tests without a GPU.
# SGEMM_SIMULATED_GPU may name a libsgemm_simulated_gpu.so of this version, which then need not be compiled: it takes minutes.
if(NOT DEFINED SGEMM_MACHINE)
  set(SGEMM_MACHINE cuda)
elseif(NOT SGEMM_MACHINE MATCHES "^(sim|cuda)$")
  message(FATAL_ERROR "SGEMM_MACHINE is '${SGEMM_MACHINE}'; it must be 'cuda' or 'sim', or unset, which means 'cuda'.")
endif()
get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(SGEMM_MACHINE STREQUAL "cuda" AND NOT "CUDA" IN_LIST languages)
  message(FATAL_ERROR "sgemm_ladder is made of CUDA kernels, and ${CMAKE_PROJECT_NAME} has not enabled the language: "
    "write project(${CMAKE_PROJECT_NAME} LANGUAGES CXX CUDA), or enable_language(CUDA) before you add sgemm_ladder. "
    "-DSGEMM_MACHINE=sim chooses the simulated GPU, for tests on a machine without a GPU.")
endif()
list(APPEND CMAKE_MODULE_PATH ${PROJECT_SOURCE_DIR}/cmake)
include(GNUInstallDirs)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(SGEMM_SANITIZE "")
set(SGEMM_WARNINGS "")
set(SGEMM_WARNINGS_AS_ERRORS OFF)

if(SGEMM_MACHINE STREQUAL "sim")
  if(NOT SGEMM_SIMULATED_GPU)
    find_package(Threads REQUIRED)
    add_subdirectory(src/text)
    add_subdirectory(src/lens)
    add_subdirectory(src/simulator)
  endif()
  include(${PROJECT_SOURCE_DIR}/src/simulator/SimulatedCuda.cmake)
else()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  list(TRANSFORM CMAKE_CUDA_ARCHITECTURES REPLACE "^([0-9]+).*" "\\1" OUTPUT_VARIABLE architectures)
  if(NOT architectures MATCHES "[89][0-9]|[0-9][0-9][0-9]|all|native")
    message(WARNING "CMAKE_CUDA_ARCHITECTURES is '${CMAKE_CUDA_ARCHITECTURES}'. sgemm_ladder needs 80 or more: compiled for less, it "
      "refuses every call. Name your GPU, for example -DCMAKE_CUDA_ARCHITECTURES=90.")
  endif()
  include(CudaLanguage)
endif()
add_subdirectory(src/library)
