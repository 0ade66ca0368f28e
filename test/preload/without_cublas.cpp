// A program that has found the preloaded functions, but has loaded no cuBLAS. Returns 0 if each call says so.
#include <dlfcn.h>

#include "preload/cublas/abi.hpp"

int main() {
  namespace cublas = preload::cublas;
  auto* const sgemm = reinterpret_cast<cublas::Sgemm<int>*>(dlsym(RTLD_DEFAULT, "cublasSgemm_v2"));
  if (sgemm == nullptr) return 2;
  const float one = 1;
  float x[64] = {};
  for (int i = 0; i < 2; ++i)
    if (sgemm(nullptr, 0, 0, 8, 8, 8, &one, x, 8, x, 8, &one, x, 8) != cublas::NOT_INITIALIZED)
      return 1;
  return 0;
}
