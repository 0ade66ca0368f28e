# choose_cuda_architectures()
#
# Compiles only for the GPUs of this machine, or for all that the kernels know if it has none. A GPU before 7.5
# counts for none: nvcc cannot compile for it, and the program says so when it is run (Needs in src/kernels/ladder.hpp). The user's
# choice wins, by CUDAARCHS in the environment or by -DCMAKE_CUDA_ARCHITECTURES. SGEMM_CONFIGURED_FOR_GPU keeps the compute
# capabilities found here, e.g. 90; it is unset or empty if the user chose. cmake/setup.sh compares them.
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
