#include "distributed/run/cublasmp.hpp"

#include <cublasmp.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>

#include "distributed/transport/nccl.hpp"
#include "distributed/transport/processes.hpp"

namespace distributed {
namespace {

void check_mp(cublasMpStatus_t status) {
  if (status != CUBLASMP_STATUS_SUCCESS)
    throw std::runtime_error("cuBLASMp: status " + std::to_string(status));
}

// The grid as cuBLASMp has it, with a communicator of its own.
class MpGrid {
 public:
  MpGrid(const Grid& grid, MPI_Comm world) {
    check_nccl(ncclCommInitRank(&comm_, grid.size(), common_id(world), rank_in(world)));
    check_mp(cublasMpCreate(&handle_, stream_));
    check_mp(
        cublasMpGridCreate(grid.rows, grid.cols, CUBLASMP_GRID_LAYOUT_ROW_MAJOR, comm_, &grid_));
  }
  ~MpGrid() {
    static_cast<void>(cublasMpGridDestroy(grid_));
    static_cast<void>(cublasMpDestroy(handle_));
    static_cast<void>(ncclCommDestroy(comm_));
  }
  MpGrid(const MpGrid&) = delete;
  MpGrid& operator=(const MpGrid&) = delete;
  cublasMpHandle_t handle() const { return handle_; }
  cublasMpGrid_t grid() const { return grid_; }
  cudaStream_t stream() const { return stream_; }

 private:
  const Stream stream_;
  ncclComm_t comm_ = nullptr;
  cublasMpHandle_t handle_ = nullptr;
  cublasMpGrid_t grid_ = nullptr;
};

// A matrix's nine numbers.
class MpDescriptor {
 public:
  MpDescriptor(const Layout& x, int64_t ld, const MpGrid& on) {
    check_mp(cublasMpMatrixDescriptorCreate(x.rows.size, x.cols.size, x.rows.block, x.cols.block,
                                            x.rows.first, x.cols.first, ld, CUDA_R_32F, on.grid(),
                                            &desc_));
  }
  ~MpDescriptor() { static_cast<void>(cublasMpMatrixDescriptorDestroy(desc_)); }
  MpDescriptor(const MpDescriptor&) = delete;
  MpDescriptor& operator=(const MpDescriptor&) = delete;
  operator cublasMpMatrixDescriptor_t() const { return desc_; }

 private:
  cublasMpMatrixDescriptor_t desc_ = nullptr;
};

cublasOperation_t op(const Factor& factor) {
  return factor.is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

// A product, and the memory that it needs beside the matrices.
class MpProduct {
 public:
  MpProduct(const Product& product, const MpGrid& on)
      : p_(product),
        on_(on),
        a_(p_.a.layout, p_.a.ld, on),
        b_(p_.b.layout, p_.b.ld, on),
        c_(p_.c, p_.ldc, on) {
    check_mp(cublasMpGemm_bufferSize(on.handle(), op(p_.a), op(p_.b), p_.m, p_.n, p_.k, &p_.alpha,
                                     p_.a.data, 1, 1, a_, p_.b.data, 1, 1, b_, &p_.beta, p_.c_data,
                                     1, 1, c_, CUBLAS_COMPUTE_32F, &device_bytes_, &host_bytes_));
  }
  int64_t device_bytes() const { return static_cast<int64_t>(device_bytes_); }

  void allocate() {
    on_device_.emplace(device_bytes());
    on_host_.resize(host_bytes_);
  }
  void multiply() {
    check_mp(cublasMpGemm(on_.handle(), op(p_.a), op(p_.b), p_.m, p_.n, p_.k, &p_.alpha, p_.a.data,
                          1, 1, a_, p_.b.data, 1, 1, b_, &p_.beta, p_.c_data, 1, 1, c_,
                          CUBLAS_COMPUTE_32F, on_device_->data(), device_bytes_, on_host_.data(),
                          host_bytes_));
    check(cudaStreamSynchronize(on_.stream()));
  }

 private:
  const Product& p_;
  const MpGrid& on_;
  const MpDescriptor a_, b_, c_;
  size_t device_bytes_ = 0, host_bytes_ = 0;
  std::optional<DeviceArray<char>> on_device_;
  std::vector<char> on_host_;
};

bool fits_everywhere(int64_t bytes, MPI_Comm world) {
  int fits = bytes <= free_bytes() ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_LAND, world);
  return fits != 0;
}

}  // namespace

std::vector<double> time_cublasmp(const Product& product, const Grid& grid, int repetitions,
                                  MPI_Comm world) {
  const MpGrid on(grid, world);
  MpProduct mp(product, on);
  if (!fits_everywhere(mp.device_bytes(), world)) return {};
  mp.allocate();
  std::vector<double> seconds;
  for (int i = 0; i <= repetitions; ++i) {
    MPI_Barrier(world);
    const auto begin = std::chrono::steady_clock::now();
    mp.multiply();
    double longest =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_DOUBLE, MPI_MAX, world);
    if (i > 0) seconds.push_back(longest);
  }
  return seconds;
}

}  // namespace distributed
