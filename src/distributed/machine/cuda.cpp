#include <cublas_v2.h>

#include <stdexcept>
#include <string>

#include "distributed/gpu/cuda.hpp"
#include "distributed/machine/facts_of_gpu.hpp"
#include "distributed/machine/machine.hpp"
#include "distributed/transport/mpi_transport.hpp"
#include "distributed/transport/nccl_transport.hpp"

namespace distributed {
namespace {

void check_cublas(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string("cuBLAS: ") + cublasGetStatusString(status));
}

// Of the current device, which this process never changes. It stays for as long as the process runs.
cublasHandle_t handle() {
  static cublasHandle_t of_process = nullptr;
  if (of_process == nullptr) check_cublas(cublasCreate(&of_process));
  return of_process;
}

}  // namespace

const Carrier USUAL_CARRIER = Carrier::nccl;
const std::chrono::seconds USUAL_PATIENCE(20);

const bool IS_SIMULATED = false;

int gpus_for(int) {
  int gpus = 0;
  return cudaGetDeviceCount(&gpus) == cudaSuccess ? gpus : 0;
}

void choose_gpu(int number) { check(cudaSetDevice(number)); }

MachineFacts machine_facts() {
  MachineFacts facts = facts_of_gpu();
  const auto version = [](int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
  };
  int runtime = 0, driver = 0, cublas = 0;
  check(cudaRuntimeGetVersion(&runtime));
  check(cudaDriverGetVersion(&driver));
  check_cublas(cublasGetVersion(handle(), &cublas));
  facts.cuda = version(runtime);
  facts.driver = "for CUDA " + version(driver);
  facts.cublas = std::to_string(cublas / 10000) + "." + std::to_string(cublas % 10000 / 100) + "." +
                 std::to_string(cublas % 100);
  return facts;
}

bool multiply_with_cublas(const LocalProduct& p, cudaStream_t stream) {
  const auto op = [](bool is_transposed) { return is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
  check_cublas(cublasSetStream(handle(), stream));
  check_cublas(cublasSgemm_64(handle(), op(p.trans_a), op(p.trans_b), p.m, p.n, p.k, &p.alpha, p.a,
                              p.lda, p.b, p.ldb, &p.beta, p.c, p.ldc));
  return true;
}

std::unique_ptr<Transport> make_transport(Carrier carrier, MPI_Comm world, const Grid& grid,
                                          std::chrono::seconds patience) {
  if (carrier == Carrier::nccl) return std::make_unique<NcclTransport>(world, grid, patience);
  return std::make_unique<MpiTransport>(world, grid, patience);
}

}  // namespace distributed
