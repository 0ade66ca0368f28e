// flags: -lcublas
// cuBLAS's functions whose arguments name their types: of vectors, and batches in half precision.
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>

constexpr int N = 1000;

template <typename T>
void vectors(cublasHandle_t handle, const char* name, cudaDataType type, cudaDataType execution) {
  T *x, *y;
  cudaMallocManaged(&x, N * sizeof(T));
  cudaMallocManaged(&y, N * sizeof(T));
  for (int i = 0; i < N; ++i) {
    x[i] = T(float(i % 5 - 2));
    y[i] = T(float(i % 3));
  }
  const float single_two = 2;
  const double double_two = 2;
  const void* const two = execution == CUDA_R_64F ? static_cast<const void*>(&double_two) : &single_two;
  T dot, norm;
  printf("%s", name);
  printf(" %d", cublasDotEx(handle, N, x, type, 1, y, type, 1, &dot, type, execution));
  printf(" %d", cublasNrm2Ex(handle, N, x, type, 1, &norm, type, execution));
  printf(" %d", cublasAxpyEx(handle, N, two, execution, x, type, 1, y, type, 1, execution));
  printf(" %d", cublasScalEx(handle, N, two, execution, x, type, 1, execution));
  cudaDeviceSynchronize();
  printf(": %g %g", double(float(dot)), double(float(norm)));
  for (int i = 0; i < 8; ++i) printf(" %g/%g", double(float(x[i])), double(float(y[i])));
  printf("\n");
  cudaFree(x);
  cudaFree(y);
}

int main() {
  cublasHandle_t handle;
  cublasCreate(&handle);
  vectors<float>(handle, "float", CUDA_R_32F, CUDA_R_32F);
  vectors<double>(handle, "double", CUDA_R_64F, CUDA_R_64F);
  vectors<__half>(handle, "half", CUDA_R_16F, CUDA_R_32F);
  vectors<__nv_bfloat16>(handle, "bfloat16", CUDA_R_16BF, CUDA_R_32F);
  float result = 0;
  __half* x;
  cudaMallocManaged(&x, 8 * sizeof *x);
  printf("other result %d\n", cublasDotEx(handle, 8, x, CUDA_R_16F, 1, x, CUDA_R_16F, 1, &result, CUDA_R_32F, CUDA_R_32F));
  printf("other vectors %d\n", cublasDotEx(handle, 8, x, CUDA_R_16F, 1, x, CUDA_R_32F, 1, &result, CUDA_R_32F, CUDA_R_32F));
  printf("in double %d\n", cublasScalEx(handle, 8, &result, CUDA_R_32F, x, CUDA_R_16F, 1, CUDA_R_64F));
  cudaFree(x);

  // Three products of 2 x 2 matrices, by pointers and by strides.
  __half *a, *b, *c, **pointers;
  cudaMallocManaged(&a, 12 * sizeof *a);
  cudaMallocManaged(&b, 12 * sizeof *b);
  cudaMallocManaged(&c, 24 * sizeof *c);
  cudaMallocManaged(&pointers, 9 * sizeof *pointers);
  for (int i = 0; i < 12; ++i) {
    a[i] = __float2half(float(i));
    b[i] = __float2half(float(i % 4 + 1));
  }
  for (int i = 0; i < 3; ++i) {
    pointers[i] = a + 4 * i;
    pointers[3 + i] = b + 4 * i;
    pointers[6 + i] = c + 4 * i;
  }
  const __half one = __float2half(1), zero = __float2half(0);
  printf("batches %d", cublasHgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 2, &one, pointers, 2, pointers + 3, 2, &zero,
                                          pointers + 6, 2, 3));
  printf(" %d:", cublasHgemmStridedBatched(handle, CUBLAS_OP_T, CUBLAS_OP_N, 2, 2, 2, &one, a, 2, 4, b, 2, 4, &zero, c + 12, 2, 4, 3));
  cudaDeviceSynchronize();
  for (int i = 0; i < 24; ++i) printf(" %g", double(__half2float(c[i])));
  printf("\n");
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
  cudaFree(pointers);
  cublasDestroy(handle);
}
