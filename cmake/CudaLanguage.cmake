# What CUDA sources need once the language is enabled: C++20, and the toolkit's libraries.
#
# require_cuda_20(TARGET): the .cu files of whoever links TARGET are compiled as C++20, whatever directory they are of.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25.1 does not know yet that nvcc speaks C++20
  function(require_cuda_20 target)  # what is set below is this directory's, so the option itself goes to theirs
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
