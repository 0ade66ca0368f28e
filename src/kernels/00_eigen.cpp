// Rung 0 if there is no CUDA device: Eigen's product on the host, the reference for the other rungs.
//
// The host cannot dereference addresses of the simulated device, and neither could it dereference a GPU's addresses. So
// the runtime API copies the matrices.
#include <Eigen/Core>
#include <new>

#include "kernels/ladder.hpp"

namespace ladder {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

cudaError_t fetch(RowMajor& matrix, const float* device, int64_t ld) {
  const auto width = static_cast<size_t>(matrix.cols()) * sizeof(float);
  return cudaMemcpy2D(matrix.data(), width, device, static_cast<size_t>(ld) * sizeof(float), width,
                      static_cast<size_t>(matrix.rows()), cudaMemcpyDeviceToHost);
}

cudaError_t multiply(const Sgemm& p) {
  RowMajor C = RowMajor::Zero(p.M, p.N);
  cudaError_t error = cudaSuccess;
  if (p.beta != 0.0f) {
    error = fetch(C, p.C, p.ldc);
    C *= p.beta;
  }
  if (error == cudaSuccess && p.K > 0) {
    RowMajor A(p.rows_of_a(), p.cols_of_a());
    RowMajor B(p.rows_of_b(), p.cols_of_b());
    error = fetch(A, p.A, p.lda);
    if (error == cudaSuccess) error = fetch(B, p.B, p.ldb);
    if (p.op_a == Op::transpose) A = RowMajor(A.transpose());
    if (p.op_b == Op::transpose) B = RowMajor(B.transpose());
    C.noalias() += p.alpha * (A * B);
  }
  if (error != cudaSuccess) return error;
  const auto width = static_cast<size_t>(p.N) * sizeof(float);
  return cudaMemcpy2D(p.C, static_cast<size_t>(p.ldc) * sizeof(float), C.data(), width, width,
                      static_cast<size_t>(p.M), cudaMemcpyHostToDevice);
}

cudaError_t launch_eigen(const Sgemm& p, cudaStream_t stream) {
  // The host computes the product, so earlier work on the stream must finish first.
  if (const cudaError_t error = cudaStreamSynchronize(stream); error != cudaSuccess) return error;
  try {
    return multiply(p);
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  }
}

}  // namespace

extern const Rung reference{
    .number = 0,
    .name = "Eigen",
    .idea = "Eigen's product on the host, the reference",
    .promise = {},
    .launch = launch_eigen,
    .takes_transposes = true,
};

}  // namespace ladder
