# Prepares CMake for CUDA sources after the language is enabled: sets C++20 and finds the toolkit's libraries.
#
# require_cuda_20(TARGET): makes all targets that link TARGET compile their .cu files as C++20, in any directory.
# compile_for_wgmma(SOURCE...): compiles this directory's sources that use wgmma for 90a, or says in them that there is none.
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

# wgmma exists in code for 90a alone. If 90 is among the architectures, the rungs that use wgmma are compiled for 90a too, which a
# Hopper GPU prefers. If neither is, they refuse every launch, and `best` does not choose them.
function(compile_for_wgmma)
  if("${CMAKE_CUDA_ARCHITECTURES}" MATCHES "90a")
    return()
  endif()
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    file(STRINGS ${source} uses_wgmma REGEX "BUILT_WITH_WGMMA|device/wgmma\\.cuh")
    if(NOT uses_wgmma)
      continue()
    elseif(NOT "${CMAKE_CUDA_ARCHITECTURES}" MATCHES "(^|;)(90|all|native)")
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS SGEMM_WITHOUT_WGMMA)
    elseif(source MATCHES "\\.cu$")
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS "SHELL:-gencode=arch=compute_90a,code=sm_90a")
    endif()
  endforeach()
endfunction()
