// cuBLAS over the simulated GPU: wrong arguments, memory that is not the device's, the order of a stream. Results: see the idiom
// cublas_functions.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace simulator::test {
namespace {

class Cublas : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cublasCreate(&handle_), CUBLAS_STATUS_SUCCESS);
    for (float** const matrix : {&a_, &b_, &c_}) {
      ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(matrix), 16 * sizeof(float)), cudaSuccess);
      cudaMemcpy(*matrix, std::vector<float>(16, 1.0f).data(), 16 * sizeof(float),
                 cudaMemcpyHostToDevice);
    }
  }
  void TearDown() override {
    for (float* const matrix : {a_, b_, c_}) cudaFree(matrix);
    EXPECT_EQ(cublasDestroy(handle_), CUBLAS_STATUS_SUCCESS);
    cudaGetLastError();
  }
  cublasStatus_t product(int m, int n, int k, int lda = 4, int ldb = 4, int ldc = 4) {
    return cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one_, a_, lda, b_, ldb, &one_,
                       c_, ldc);
  }
  float element(int i) const {
    float value = -1;
    cudaMemcpy(&value, c_ + i, sizeof value, cudaMemcpyDeviceToHost);
    return value;
  }

  const float one_ = 1, zero_ = 0;
  cublasHandle_t handle_ = nullptr;
  float *a_ = nullptr, *b_ = nullptr, *c_ = nullptr;
};

// An H200's answers (CUDA 13.0, 2026-11-29). There cuBLAS also prints a line.
TEST_F(Cublas, RefusesWrongSizes) {
  EXPECT_EQ(product(-1, 4, 4), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(product(4, 4, 4, 3), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(product(4, 4, 4, 4, 3), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(product(4, 4, 4, 4, 4, 3), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasSgeam(handle_, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, &one_, a_, 2, &one_, b_, 4, c_, 4),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(element(0), 1);
}

TEST_F(Cublas, NormsAndDotProductsKeepTheLastBits) {
  // A sum in FP32 stops at 2^24: from there on, adding one changes nothing.
  constexpr int COUNT = (1 << 24) + (1 << 20);
  float* many = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&many), COUNT * sizeof(float)), cudaSuccess);
  cudaMemcpy(many, std::vector<float>(COUNT, 1.0f).data(), COUNT * sizeof(float),
             cudaMemcpyHostToDevice);
  float result = 0;
  EXPECT_EQ(cublasSasum(handle_, COUNT, many, 1, &result), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(result, static_cast<float>(COUNT));
  EXPECT_EQ(cublasSdot(handle_, COUNT, many, 1, many, 1, &result), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(result, static_cast<float>(COUNT));
  EXPECT_EQ(cublasSnrm2(handle_, COUNT, many, 1, &result), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(result, std::sqrt(static_cast<float>(COUNT)));
  cudaFree(many);
}

TEST_F(Cublas, HasTheHandleOfCublasLt) {
  cublasLtHandle_t handle = nullptr;
  ASSERT_EQ(cublasLtCreate(&handle), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasLtGetVersion(), size_t{CUBLAS_VERSION});
  EXPECT_EQ(cublasGetCudartVersion(), size_t{CUDART_VERSION});
  EXPECT_EQ(cublasLtDestroy(handle), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasLtCreate(nullptr), CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(Cublas, RefusesAHandleThatIsNone) {
  cublasHandle_t other = nullptr;
  ASSERT_EQ(cublasCreate(&other), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasDestroy(other), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasDestroy(other), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cublasSaxpy(other, 1, &one_, a_, 1, c_, 1), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cublasSaxpy(nullptr, 1, &one_, a_, 1, c_, 1), CUBLAS_STATUS_NOT_INITIALIZED);
}

TEST_F(Cublas, ReportsMemoryThatTheDeviceDoesNotHave) {
  std::vector<float> host(16, 2.0f);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one_, host.data(), 4, b_, 4,
                        &one_, c_, 4),
            CUBLAS_STATUS_EXECUTION_FAILED);
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "cublasSgemm uses 64 bytes of A, which are not all memory of the device"),
            std::string::npos);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cublasSaxpy(handle_, 17, &one_, a_, 1, c_, 1), CUBLAS_STATUS_EXECUTION_FAILED);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("cublasSaxpy uses 68 bytes of x"),
            std::string::npos);
  EXPECT_EQ(element(0), 1);
}

TEST_F(Cublas, DoesNotReadCWithoutBeta) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  cudaMemcpy(c_, &nan, sizeof nan, cudaMemcpyHostToDevice);
  EXPECT_EQ(
      cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_T, 4, 4, 4, &one_, a_, 4, b_, 4, &zero_, c_, 4),
      CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(element(0), 4);
  cudaMemcpy(a_, &nan, sizeof nan, cudaMemcpyHostToDevice);
  EXPECT_EQ(
      cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_T, 4, 4, 4, &zero_, a_, 4, b_, 4, &one_, c_, 4),
      CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(element(0), 4);
}

// A function is work of its stream: it runs when a call waits for it, and after the work before it.
TEST_F(Cublas, RunsInTheOrderOfItsStream) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cublasSetStream(handle_, stream), CUBLAS_STATUS_SUCCESS);
  cudaMemsetAsync(a_, 0, 16 * sizeof(float), stream);
  ASSERT_EQ(product(4, 4, 4), CUBLAS_STATUS_SUCCESS);
  cudaMemsetAsync(b_, 0, 16 * sizeof(float), stream);
  cudaStreamSynchronize(stream);
  EXPECT_EQ(element(5), 1);  // A was zero
  float sum = -1;
  EXPECT_EQ(cublasSasum(handle_, 16, c_, 1, &sum), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(sum, 16);  // waited for
  EXPECT_EQ(cublasSetStream(handle_, nullptr), CUBLAS_STATUS_SUCCESS);
  cudaStreamDestroy(stream);
  EXPECT_EQ(cublasSetStream(handle_, stream), CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(Cublas, NamesAPointerOfABatchThatLeadsNowhere) {
  float* const pointers[] = {a_, b_ + 1, c_};  // B's last column is beyond its end
  float** on_device = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&on_device), sizeof pointers);
  cudaMemcpy(on_device, pointers, sizeof pointers, cudaMemcpyHostToDevice);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cublasSgemmBatched(handle_, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one_, on_device, 4,
                               on_device + 1, 4, &one_, on_device + 2, 4, 1),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("cublasSgemmBatched"), std::string::npos);
  cudaDeviceReset();
  for (float** const matrix : {&a_, &b_, &c_})
    cudaMalloc(reinterpret_cast<void**>(matrix), sizeof(float));
}

}  // namespace
}  // namespace simulator::test
