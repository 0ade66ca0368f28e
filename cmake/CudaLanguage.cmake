# Prepares CMake for CUDA sources after the language is enabled: sets C++20 and finds the toolkit's libraries.
#
# require_cuda_20(TARGET): makes all targets that link TARGET compile their .cu files as C++20, in any directory.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25.1 does not know that nvcc supports C++20
  function(require_cuda_20 target)  # the variables below hold in this directory only, so the targets get the option itself
    target_compile_options(${target} INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
  endfunction()
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
else()
  function(require_cuda_20 target)
    target_compile_features(${target} INTERFACE cuda_std_20)
  endfunction()
endif()
find_package(CUDAToolkit REQUIRED)
