// flags: -fmad=false
// With -fmad=false a product is rounded before it is added.
#include <cstdio>

__global__ void differences(const double* a, const float* b, double* wide, float* narrow) {
  const int i = threadIdx.x;
  wide[i] = a[i] * a[i] - a[i];
  narrow[i] = b[i] * b[i] + b[i];
  narrow[i] = fmaf(b[i], b[i], -b[i] * b[i]) + narrow[i];
}

int main() {
  double *a, *wide;
  float *b, *narrow;
  cudaMallocManaged(&a, 16 * sizeof(double));
  cudaMallocManaged(&wide, 16 * sizeof(double));
  cudaMallocManaged(&b, 16 * sizeof(float));
  cudaMallocManaged(&narrow, 16 * sizeof(float));
  for (int i = 0; i < 16; ++i) {
    a[i] = 1 + i * 0x1.23456789abcdep-20;
    b[i] = 1 + i * 0x1.23456p-9f;
  }
  differences<<<1, 16>>>(a, b, wide, narrow);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 16; ++i) std::printf("%a %a\n", wide[i], narrow[i]);
  for (void* memory : {static_cast<void*>(a), static_cast<void*>(wide), static_cast<void*>(b), static_cast<void*>(narrow)})
    cudaFree(memory);
}
