// flags: -lcublasLt -lcublas
// cuBLASLt: products with layouts, types, epilogues and batches, and what it refuses.
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>

static cublasLtHandle_t handle;

template <typename T>
T* values(int count, float scale, int step) {
  T* data;
  cudaMallocManaged(&data, count * sizeof(T));
  for (int i = 0; i < count; ++i) data[i] = T(scale * float(i * step % 7 - 3));
  return data;
}

struct Case {
  const char* name;
  int m = 4, n = 3, k = 5;
  cublasOperation_t transa = CUBLAS_OP_N, transb = CUBLAS_OP_N;
  unsigned epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  float alpha = 1, beta = 0;
  bool by_rows = false;
  int batch = 1;
};

template <typename T>
void product(const Case& c, cudaDataType type) {
  cublasLtMatmulDesc_t desc;
  cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &c.transa, sizeof c.transa);
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSB, &c.transb, sizeof c.transb);
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &c.epilogue, sizeof c.epilogue);
  const int elements = 16 * 16 * c.batch;
  T* const a = values<T>(elements, 0.5f, 3);
  T* const b = values<T>(elements, 0.25f, 5);
  T* const before = values<T>(elements, 1, 2);
  T* const d = values<T>(elements, 0, 1);
  T* const bias = values<T>(16, 1, 4);
  T* const aux = values<T>(elements, 0, 1);
  if (c.epilogue & CUBLASLT_EPILOGUE_BIAS)
    cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias);
  const long long ld = 16;
  if (c.epilogue & 128) {
    cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &aux, sizeof aux);
    cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &ld, sizeof ld);
  }
  cublasLtMatrixLayout_t layouts[4];
  const int rows[] = {c.transa ? c.k : c.m, c.transb ? c.n : c.k, c.m, c.m};
  const int columns[] = {c.transa ? c.m : c.k, c.transb ? c.k : c.n, c.n, c.n};
  for (int i = 0; i < 4; ++i) {
    cublasLtMatrixLayoutCreate(&layouts[i], type, rows[i], columns[i], 16);
    const cublasLtOrder_t order = CUBLASLT_ORDER_ROW;
    if (c.by_rows) cublasLtMatrixLayoutSetAttribute(layouts[i], CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order);
    const long long stride = 256;
    cublasLtMatrixLayoutSetAttribute(layouts[i], CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &c.batch, sizeof c.batch);
    cublasLtMatrixLayoutSetAttribute(layouts[i], CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride);
  }
  cublasLtMatmulPreference_t preference;
  cublasLtMatmulPreferenceCreate(&preference);
  const size_t workspace_bytes = 1 << 20;
  cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes, sizeof workspace_bytes);
  void* workspace;
  cudaMalloc(&workspace, workspace_bytes);
  cublasLtMatmulHeuristicResult_t found;
  int count = 0;
  const int status = cublasLtMatmulAlgoGetHeuristic(handle, desc, layouts[0], layouts[1], layouts[2], layouts[3], preference, 1, &found, &count);
  printf("%s: %d %d", c.name, status, count);
  printf(" %d", cublasLtMatmul(handle, desc, &c.alpha, a, layouts[0], b, layouts[1], &c.beta, before, layouts[2], d, layouts[3],
                               count > 0 ? &found.algo : nullptr, workspace, workspace_bytes, 0));
  cudaDeviceSynchronize();
  for (int batch = 0; batch < c.batch; ++batch) {
    printf(" |");
    for (int i = 0; i < c.m; ++i)
      for (int j = 0; j < c.n; ++j) {
        const float value = float(d[256 * batch + (c.by_rows ? i * 16 + j : i + j * 16)]) + 0.0f;
        if (c.epilogue & CUBLASLT_EPILOGUE_GELU) {  // a device approximates the hyperbolic tangent
          printf(" %ld", lround(100 * value));
        } else {
          printf(" %.3g", value);
        }
      }
  }
  if (c.epilogue & 128) printf(" | kept %.3g %.3g %.3g", float(aux[0]), float(aux[1]), float(aux[16]));
  printf("\n");
  for (auto layout : layouts) cublasLtMatrixLayoutDestroy(layout);
  cublasLtMatmulPreferenceDestroy(preference);
  cublasLtMatmulDescDestroy(desc);
  for (T* data : {a, b, before, d, bias, aux}) cudaFree(data);
  cudaFree(workspace);
}

int main() {
  cublasLtCreate(&handle);
  product<float>({"float"}, CUDA_R_32F);
  product<float>({"alpha, beta", 4, 3, 5, CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_EPILOGUE_DEFAULT, 2, -1}, CUDA_R_32F);
  product<float>({"transposed", 4, 3, 5, CUBLAS_OP_T, CUBLAS_OP_T}, CUDA_R_32F);
  product<float>({"bias", 4, 3, 5, CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_EPILOGUE_BIAS}, CUDA_R_32F);
  product<float>({"relu", 4, 3, 5, CUBLAS_OP_T, CUBLAS_OP_N, CUBLASLT_EPILOGUE_RELU}, CUDA_R_32F);
  product<float>({"by rows", 4, 3, 5, CUBLAS_OP_N, CUBLAS_OP_T, CUBLASLT_EPILOGUE_DEFAULT, 1, 0, true}, CUDA_R_32F);
  product<float>({"batch", 2, 2, 3, CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_EPILOGUE_DEFAULT, 1, 1, false, 3}, CUDA_R_32F);
  product<__half>({"half", 8, 8, 8, CUBLAS_OP_T}, CUDA_R_16F);
  product<__half>({"half, relu, bias", 8, 8, 8, CUBLAS_OP_T, CUBLAS_OP_N, CUBLASLT_EPILOGUE_RELU_BIAS}, CUDA_R_16F);
  product<__half>({"half, gelu", 8, 8, 8, CUBLAS_OP_T, CUBLAS_OP_N, CUBLASLT_EPILOGUE_GELU}, CUDA_R_16F);
  product<__half>({"half, gelu kept", 8, 8, 8, CUBLAS_OP_T, CUBLAS_OP_N, CUBLASLT_EPILOGUE_GELU_AUX_BIAS}, CUDA_R_16F);
  product<__nv_bfloat16>({"bfloat16, bias", 8, 8, 8, CUBLAS_OP_T, CUBLAS_OP_N, CUBLASLT_EPILOGUE_GELU_BIAS}, CUDA_R_16BF);

  // Attributes and mistakes.
  cublasLtMatmulDescOpaque_t desc;
  cublasLtMatrixLayoutOpaque_t a, b, c;
  printf("%d", cublasLtMatmulDescInit(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  printf(" %d", cublasLtMatrixLayoutInit(&a, CUDA_R_32F, 4, 5, 8));
  printf(" %d", cublasLtMatrixLayoutInit(&b, CUDA_R_32F, 5, 3, 8));
  printf(" %d\n", cublasLtMatrixLayoutInit(&c, CUDA_R_32F, 4, 3, 8));
  unsigned epilogue = 0;
  size_t written = 0;
  printf("default epilogue %d", cublasLtMatmulDescGetAttribute(&desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue, &written));
  printf(" %u %zu\n", epilogue, written);
  printf("its size %d", cublasLtMatmulDescGetAttribute(&desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, nullptr, 0, &written));
  printf(" %zu\n", written);
  printf("wrong size %d\n", cublasLtMatmulDescSetAttribute(&desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, 2));
  unsigned long long matrix_rows = 0;
  cublasLtMatrixLayoutGetAttribute(&a, CUBLASLT_MATRIX_LAYOUT_ROWS, &matrix_rows, sizeof matrix_rows, &written);
  printf("rows %llu\n", matrix_rows);
  float one = 1, zero = 0;
  float* data = values<float>(64, 1, 1);
  const auto multiply = [&](cublasLtMatrixLayout_t left, cublasLtMatrixLayout_t right) {
    return cublasLtMatmul(handle, &desc, &one, data, left, data, right, &zero, data, &c, data, &c, nullptr, nullptr, 0, 0);
  };
  printf("other shapes %d\n", multiply(&b, &a));
  printf("no layout %d\n", multiply(nullptr, &b));
  printf("no handle %d\n", cublasLtMatmul(nullptr, &desc, &one, data, &a, data, &b, &zero, data, &c, data, &c, nullptr, nullptr, 0, 0));
  cublasLtMatrixLayoutInit(&b, CUDA_R_16F, 5, 3, 8);
  printf("other types %d\n", multiply(&a, &b));
  cublasLtMatrixLayoutInit(&b, CUDA_R_32F, 5, 3, 4);
  printf("too small a leading dimension %d\n", multiply(&a, &b));
  cublasLtMatrixLayoutInit(&b, CUDA_R_32F, 5, 3, 8);
  cublasLtMatmulDescInit(&desc, CUBLAS_COMPUTE_32F, CUDA_R_64F);
  printf("other scale %d\n", multiply(&a, &b));
  cudaFree(data);
  cublasLtDestroy(handle);
}
