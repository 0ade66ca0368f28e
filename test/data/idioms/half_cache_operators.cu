// Loads and stores of half precision with each cache operator.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>

template <typename T>
__global__ void pass_on(const T* from, T* to) {
  const unsigned i = threadIdx.x;
  T value = __ldg(from + i);
  __stwb(to + i, value);
  value = __ldcg(to + i) + __ldca(to + i);
  __stcg(to + i, value);
  value = __ldcs(to + i) + __ldcv(to + i);
  __stcs(to + i, value);
  value = __ldlu(to + i) + value;
  __stwt(to + i, value);
}

template <typename T>
void print(const char* name, T (*make)(float), float (*number)(T)) {
  T *from, *to;
  cudaMallocManaged(&from, 32 * sizeof(T));
  cudaMallocManaged(&to, 32 * sizeof(T));
  for (int i = 0; i < 32; ++i) from[i] = make(0.25f * i);
  pass_on<<<1, 32>>>(from, to);
  cudaDeviceSynchronize();
  printf("%s", name);
  for (int i = 0; i < 32; ++i) printf(" %g", number(to[i]));
  printf("\n");
  cudaFree(from);
  cudaFree(to);
}

int main() {
  print<__half>("half", [](float x) { return __float2half(x); }, [](__half x) { return __half2float(x); });
  print<__half2>("half2", [](float x) { return __floats2half2_rn(x, -x); },
                 [](__half2 x) { return __low2float(x) + 2 * __high2float(x); });
  print<__nv_bfloat16>("bfloat16", [](float x) { return __float2bfloat16(x); }, [](__nv_bfloat16 x) { return __bfloat162float(x); });
  print<__nv_bfloat162>("bfloat162", [](float x) { return __floats2bfloat162_rn(x, -x); },
                        [](__nv_bfloat162 x) { return __low2float(x) + 2 * __high2float(x); });
}
