// Prints the layout of the public header: sizes and offsets of structs, and values of enumerators. abi_test.py compares it with abi.txt.
#include <cstddef>
#include <cstdio>

#include "sgemm_ladder.h"

#define OFFSET(type, member)                                                       \
  std::printf("%s.%s at %zu, %zu bytes\n", #type, #member, offsetof(type, member), \
              sizeof(type::member))
#define VALUE(name) std::printf("%s = %d\n", #name, static_cast<int>(name))

int main() {
  std::printf("sizeof(sgemm_ladder_options) = %zu\n", sizeof(sgemm_ladder_options));
  OFFSET(sgemm_ladder_options, struct_size);
  OFFSET(sgemm_ladder_options, algorithm);
  OFFSET(sgemm_ladder_options, reserved);
  OFFSET(sgemm_ladder_options, workspace);
  OFFSET(sgemm_ladder_options, workspace_bytes);
  std::printf("sizeof(sgemm_ladder_status) = %zu\n", sizeof(sgemm_ladder_status));
  VALUE(SGEMM_LADDER_OK);
  VALUE(SGEMM_LADDER_INVALID_ARGUMENT);
  VALUE(SGEMM_LADDER_NOT_SUPPORTED);
  VALUE(SGEMM_LADDER_OUT_OF_MEMORY);
  VALUE(SGEMM_LADDER_CUDA_ERROR);
  VALUE(SGEMM_LADDER_ROW_MAJOR);
  VALUE(SGEMM_LADDER_COL_MAJOR);
  VALUE(SGEMM_LADDER_NO_TRANS);
  VALUE(SGEMM_LADDER_TRANS);
  VALUE(SGEMM_LADDER_CONJ_TRANS);
  VALUE(SGEMM_LADDER_BEST);
  VALUE(SGEMM_LADDER_STREAM_K);
  VALUE(SGEMM_LADDER_TENSOR_FP32);
  return 0;
}
