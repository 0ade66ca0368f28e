// flags: -lcublas
// From numerical code: cuBLAS beside own kernels. Column-major matrices with leading dimensions, transposes, increments, scalars on
// the host and on the device, batches. All numbers are small integers, so every sum is exact.
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>
#include <vector>

static cublasHandle_t handle;

template <typename T>
struct Device {
  explicit Device(size_t n, int seed = 0) : size(n) {
    std::vector<T> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = T(static_cast<float>(static_cast<int>((i * 7 + seed * 5) % 11) - 5));
    cudaMalloc(&data, n * sizeof(T));
    cudaMemcpy(data, values.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Device() { cudaFree(data); }
  void print(const char* name) const {
    std::vector<T> values(size);
    cudaMemcpy(values.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost);
    printf("%s:", name);
    for (const T value : values) printf(" %g", static_cast<double>(static_cast<float>(value)));
    printf("\n");
  }
  T* data;
  size_t size;
};

#define CALL(name, ...)                                                         \
  do {                                                                          \
    const cublasStatus_t status = name(__VA_ARGS__);                            \
    if (status != CUBLAS_STATUS_SUCCESS) printf(#name ": status %d\n", status); \
  } while (0)

// The functions of one type. S: cublasS or cublasD, I: cublasIs or cublasId.
#define FUNCTIONS(T, S, I)                                                                                                              \
  static void vectors(T) {                                                                                                              \
    const T two = 2, three = 3;                                                                                                         \
    Device<T> x(12, 1), y(12, 2);                                                                                                       \
    CALL(S##axpy, handle, 6, &two, x.data, 2, y.data, 1);                                                                               \
    y.print("axpy");                                                                                                                    \
    CALL(S##axpy, handle, 5, &three, x.data, -2, y.data, 2);                                                                            \
    y.print("axpy with a negative increment");                                                                                          \
    CALL(S##copy, handle, 4, x.data, 3, y.data, -1);                                                                                    \
    y.print("copy");                                                                                                                    \
    CALL(S##swap, handle, 3, x.data, 1, y.data, 4);                                                                                     \
    x.print("swap x");                                                                                                                  \
    y.print("swap y");                                                                                                                  \
    CALL(S##scal, handle, 4, &three, x.data, 3);                                                                                        \
    x.print("scal");                                                                                                                    \
    CALL(S##rot, handle, 4, x.data, 1, y.data, 2, &two, &three);                                                                        \
    x.print("rot x");                                                                                                                   \
    y.print("rot y");                                                                                                                   \
    T dot, sum, norm;                                                                                                                   \
    int largest, smallest;                                                                                                              \
    CALL(S##dot, handle, 6, x.data, 2, y.data, -1, &dot);                                                                               \
    CALL(S##asum, handle, 4, x.data, 3, &sum);                                                                                          \
    const T sides[] = {3, 0, 4};                                                                                                        \
    cudaMemcpy(y.data, sides, sizeof(sides), cudaMemcpyHostToDevice);                                                                   \
    CALL(S##nrm2, handle, 3, y.data, 1, &norm);                                                                                         \
    CALL(I##amax, handle, 12, x.data, 1, &largest);                                                                                     \
    CALL(I##amin, handle, 6, x.data, 2, &smallest);                                                                                     \
    printf("dot %g asum %g nrm2 %g amax %d amin %d\n", (double)dot, (double)sum, (double)norm, largest, smallest);                      \
    CALL(S##nrm2, handle, 0, y.data, 1, &norm);                                                                                         \
    CALL(I##amax, handle, 0, x.data, 1, &largest);                                                                                      \
    printf("of nothing %g %d\n", (double)norm, largest);                                                                                \
  }                                                                                                                                     \
  static void matrices_and_vectors(T) {                                                                                                 \
    const T two = 2, three = 3, zero = 0;                                                                                               \
    for (const cublasOperation_t trans : {CUBLAS_OP_N, CUBLAS_OP_T}) {                                                                  \
      Device<T> a(5 * 3, 3), x(10, 4), y(10, 5);                                                                                        \
      CALL(S##gemv, handle, trans, 4, 3, &two, a.data, 5, x.data, 2, &three, y.data, -2);                                               \
      y.print("gemv");                                                                                                                  \
      CALL(S##gemv, handle, trans, 4, 3, &two, a.data, 5, x.data, 2, &zero, y.data, 1);                                                 \
      y.print("gemv without y");                                                                                                        \
    }                                                                                                                                   \
    Device<T> a(20, 6), x(8, 7), y(8, 8);                                                                                               \
    CALL(S##ger, handle, 4, 3, &two, x.data, 1, y.data, -2, a.data, 5);                                                                 \
    a.print("ger");                                                                                                                     \
    for (const cublasFillMode_t uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {                                              \
      Device<T> b(4, 9);                                                                                                                \
      CALL(S##symv, handle, uplo, 4, &two, a.data, 5, x.data, 1, &three, b.data, 1);                                                    \
      b.print("symv");                                                                                                                  \
      for (const cublasOperation_t trans : {CUBLAS_OP_N, CUBLAS_OP_T}) {                                                                \
        CALL(S##trmv, handle, uplo, trans, CUBLAS_DIAG_NON_UNIT, 4, a.data, 5, b.data, 1);                                              \
        b.print("trmv");                                                                                                                \
        CALL(S##trsv, handle, uplo, trans, CUBLAS_DIAG_UNIT, 4, a.data, 5, b.data, 1);                                                  \
        b.print("trsv");                                                                                                                \
      }                                                                                                                                 \
    }                                                                                                                                   \
  }                                                                                                                                     \
  static void matrices(T) {                                                                                                             \
    const T two = 2, three = 3, zero = 0;                                                                                               \
    for (const cublasOperation_t ta : {CUBLAS_OP_N, CUBLAS_OP_T}) {                                                                     \
      for (const cublasOperation_t tb : {CUBLAS_OP_N, CUBLAS_OP_C}) {                                                                   \
        Device<T> a(5 * 5, 1), b(6 * 6, 2), c(4 * 3, 3);                                                                                \
        CALL(S##gemm, handle, ta, tb, 3, 3, 4, &two, a.data, 5, b.data, 6, &three, c.data, 4);                                          \
        c.print("gemm");                                                                                                                \
        CALL(S##geam, handle, ta, tb, 3, 3, &two, a.data, 5, &three, b.data, 6, c.data, 4);                                             \
        c.print("geam");                                                                                                                \
      }                                                                                                                                 \
    }                                                                                                                                   \
    for (const cublasSideMode_t side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT}) {                                                         \
      for (const cublasFillMode_t uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {                                            \
        Device<T> a(16, 4), b(16, 5), c(16, 6);                                                                                         \
        CALL(S##symm, handle, side, uplo, 3, 4, &two, a.data, 4, b.data, 4, &three, c.data, 4);                                         \
        c.print("symm");                                                                                                                \
        CALL(S##syrk, handle, uplo, side == CUBLAS_SIDE_LEFT ? CUBLAS_OP_N : CUBLAS_OP_T, 3, 4, &two, a.data, 4, &three, c.data, 4);    \
        c.print("syrk");                                                                                                                \
        CALL(S##trmm, handle, side, uplo, CUBLAS_OP_T, CUBLAS_DIAG_UNIT, 3, 4, &two, a.data, 4, b.data, 4, c.data, 4);                  \
        c.print("trmm");                                                                                                                \
        CALL(S##trsm, handle, side, uplo, CUBLAS_OP_T, CUBLAS_DIAG_UNIT, 3, 4, &two, a.data, 4, c.data, 4);                             \
        c.print("trsm");                                                                                                                \
      }                                                                                                                                 \
      Device<T> a(16, 7), x(8, 8), c(16, 9);                                                                                            \
      CALL(S##dgmm, handle, side, 3, 4, a.data, 4, x.data, 2, c.data, 4);                                                               \
      c.print("dgmm");                                                                                                                  \
    }                                                                                                                                   \
    Device<T> a(2 * 8, 1), b(2 * 8, 2), c(2 * 8, 3);                                                                                    \
    CALL(S##gemmStridedBatched, handle, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 3, &two, a.data, 2, 8, b.data, 2, 7, &zero, c.data, 3, 8, 2);   \
    c.print("gemmStridedBatched");                                                                                                      \
    T *host[] = {a.data, a.data + 8, b.data, b.data + 1, c.data, c.data + 6}, **pointers;                                               \
    cudaMalloc(&pointers, sizeof(host));                                                                                                \
    cudaMemcpy(pointers, host, sizeof(host), cudaMemcpyHostToDevice);                                                                   \
    CALL(S##gemmBatched, handle, CUBLAS_OP_T, CUBLAS_OP_N, 2, 2, 2, &three, pointers, 2, pointers + 2, 2, &two, pointers + 4, 2, 2);    \
    c.print("gemmBatched");                                                                                                             \
    cudaFree(pointers);                                                                                                                 \
  }
FUNCTIONS(float, cublasS, cublasIs)
FUNCTIONS(double, cublasD, cublasId)

template <typename In, typename Out, typename Sum>
static void typed(const char* name, cudaDataType in, cudaDataType out, cublasComputeType_t compute) {
  const Sum two = Sum(2), three = Sum(3);
  Device<In> a(4 * 8, 1), b(8 * 4, 2);
  Device<Out> c(16, 3);
  CALL(cublasGemmEx, handle, CUBLAS_OP_T, CUBLAS_OP_N, 4, 4, 8, &two, a.data, in, 8, b.data, in, 8, &three, c.data, out, 4, compute,
       CUBLAS_GEMM_DEFAULT);
  c.print(name);
}

// Scalars and results in the device's memory, in a stream.
static void on_the_device() {
  cudaStream_t stream, found;
  cudaStreamCreate(&stream);
  CALL(cublasSetStream, handle, stream);
  CALL(cublasGetStream, handle, &found);
  CALL(cublasSetPointerMode, handle, CUBLAS_POINTER_MODE_DEVICE);
  Device<float> x(8, 1), y(8, 2), results(3, 0);
  CALL(cublasSdot, handle, 8, x.data, 1, y.data, 1, results.data);
  CALL(cublasSaxpy, handle, 8, results.data, x.data, 1, y.data, 1);
  CALL(cublasSasum, handle, 8, y.data, 1, results.data + 1);
  CALL(cublasSscal, handle, 1, results.data, results.data + 2, 1);
  cudaStreamSynchronize(stream);
  printf("same stream %d\n", found == stream);
  y.print("y");
  results.print("results");
  CALL(cublasSetPointerMode, handle, CUBLAS_POINTER_MODE_HOST);
  CALL(cublasSetStream, handle, nullptr);
  cudaStreamDestroy(stream);
}

static void copies() {
  const float host[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  float back[12] = {};
  Device<float> vector(6), matrix(12);
  CALL(cublasSetVector, 4, sizeof(float), host, 3, vector.data, 1);
  vector.print("set vector");
  CALL(cublasGetVector, 2, sizeof(float), vector.data, 2, back, 5);
  CALL(cublasSetMatrix, 2, 3, sizeof(float), host, 4, matrix.data, 3);
  matrix.print("set matrix");
  CALL(cublasGetMatrix, 2, 3, sizeof(float), matrix.data, 3, back + 6, 2);
  for (const float value : back) printf("%g ", value);
  printf("\n");
}

// What is no error, and what is one. (Of a wrong size in a product cuBLAS itself prints a line.)
static void statuses() {
  const float one = 1;
  Device<float> a(16), b(16), c(16);
  float result = -1;
  printf("statuses:");
  printf(" %d", cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, nullptr, a.data, 4, b.data, 4, &one, c.data, 4));
  printf(" %d", cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 0, 4, 4, &one, a.data, 4, b.data, 4, &one, c.data, 4));
  printf(" %d", cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 0, 4, &one, a.data, 4, b.data, 4, &one, c.data, 4));
  printf(" %d", cublasSgemv(handle, CUBLAS_OP_N, 4, 4, &one, a.data, 4, b.data, 0, &one, c.data, 1));
  printf(" %d", cublasSgemv(handle, CUBLAS_OP_N, 4, 4, &one, a.data, 3, b.data, 1, &one, c.data, 1));
  printf(" %d", cublasSaxpy(handle, -3, &one, a.data, 1, b.data, 1));
  printf(" %d", cublasSdot(handle, 3, a.data, 1, b.data, 1, nullptr));
  printf(" %d", cublasSdot(handle, -3, a.data, 1, b.data, 1, &result));
  printf(" %g", result);
  printf(" %d", cublasSetVector(4, 0, a.data, 1, b.data, 1));
  printf("\n%s: %s, %s\n", cublasGetStatusName(CUBLAS_STATUS_INVALID_VALUE), cublasGetStatusString(CUBLAS_STATUS_NOT_INITIALIZED),
         cublasGetStatusString(CUBLAS_STATUS_NOT_SUPPORTED));
}

int main() {
  CALL(cublasCreate, &handle);
  CALL(cublasSetMathMode, handle, CUBLAS_PEDANTIC_MATH);
  vectors(0.0f);
  vectors(0.0);
  matrices_and_vectors(0.0f);
  matrices_and_vectors(0.0);
  matrices(0.0f);
  matrices(0.0);
  typed<float, float, float>("FP32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F);
  typed<double, double, double>("FP64", CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F);
  typed<__half, __half, float>("FP16", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F);
  typed<__half, float, float>("FP16 to FP32", CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F);
  typed<__half, __half, __half>("FP16 sums", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F);
  typed<__nv_bfloat16, float, float>("BF16 to FP32", CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F);
  typed<signed char, int, int>("INT8", CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I);
  on_the_device();
  copies();
  statuses();
  CALL(cublasDestroy, handle);
}
