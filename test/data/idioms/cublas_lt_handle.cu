// flags: -lcublas -lcublasLt
// A program makes a handle of cuBLASLt beside one of cuBLAS.
#include <cublasLt.h>
#include <cublas_v2.h>

#include <cstdio>

int main() {
  cublasHandle_t handle = nullptr;
  cublasLtHandle_t lt = nullptr;
  std::printf("%d %d\n", cublasCreate(&handle), cublasLtCreate(&lt));
  std::printf("%d %d\n", handle != nullptr, lt != nullptr);
  std::printf("no place for a handle: %d\n", cublasLtCreate(nullptr));
  std::printf("no handle: %d\n", cublasLtDestroy(nullptr));
  std::printf("%d %d\n", cublasLtDestroy(lt), cublasDestroy(handle));
  return 0;
}
