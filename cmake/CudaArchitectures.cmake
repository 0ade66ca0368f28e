# choose_cuda_architectures()
#
# Compiles only for the GPUs of this machine. If it has none, compiles for all architectures that the kernels support. A GPU
# before compute capability 7.5 does not count: nvcc cannot compile for it, and the program says so when it runs (Needs in
# src/kernels/ladder.hpp). The user's choice, CUDAARCHS in the environment or -DCMAKE_CUDA_ARCHITECTURES, has priority.
# SGEMM_CONFIGURED_FOR_GPU keeps the compute capabilities that were found, e.g. 90. It is unset or empty if the user chose.
# cmake/setup.sh compares it with the GPUs of the machine.
function(choose_cuda_architectures)
  if(DEFINED CMAKE_CUDA_ARCHITECTURES OR DEFINED ENV{CUDAARCHS})
    return()
  endif()
  find_program(nvidia_smi nvidia-smi NO_CACHE)
  set(found "")
  if(nvidia_smi)
    execute_process(COMMAND ${nvidia_smi} --query-gpu=compute_cap --format=csv,noheader
      OUTPUT_VARIABLE found ERROR_QUIET RESULT_VARIABLE failed)
    if(failed)
      set(found "")
    endif()
  endif()
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" capabilities "${found}")
  list(TRANSFORM capabilities REPLACE "\\." "")
  list(REMOVE_DUPLICATES capabilities)
  list(SORT capabilities)
  set(architectures ${capabilities})
  list(FILTER architectures EXCLUDE REGEX "^([1-6].|7[0-4])$")
  if(NOT architectures)
    set(architectures 75 80 90 100)
  endif()
  list(TRANSFORM architectures REPLACE "^90$" "90a")  # wgmma and TMA's instructions are Hopper's own
  set(CMAKE_CUDA_ARCHITECTURES "${architectures}" CACHE STRING "Compute capabilities to compile for")
  set(SGEMM_CONFIGURED_FOR_GPU "${capabilities}" CACHE INTERNAL "Compute capabilities of this machine's GPUs")
endfunction()
