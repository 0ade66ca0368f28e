// A product on the GPUs of several processes (docs/distributed.md), as sgemm_distributed measures it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace results {

/// What a process did for a while: it multiplied a panel, or its GPU brought one.
struct DistributedSpan {
  bool is_product = false;  // false: messages
  int64_t panel = 0;        // its number, from 0
  double begin_s = 0;       // since the product began
  double end_s = 0;
  bool operator==(const DistributedSpan&) const = default;
};

/// One process of a product. The seconds are those of the last repetition.
struct DistributedProcess {
  int rank = 0;
  std::string host{};
  std::string device{};  // its GPU
  double whole_s = 0;    // from the common begin to its own end
  double product_s = 0;  // in which its GPU multiplied
  double messages_s = 0;
  int64_t received_bytes = 0;  // from other processes
  std::vector<DistributedSpan> spans{};
  bool operator==(const DistributedProcess&) const = default;
};

/// A product of matrices that lie on a grid of processes.
struct DistributedProduct {
  int64_t M = 0, N = 0, K = 0;
  bool transposes_a = false, transposes_b = false;
  float alpha = 1, beta = 0;
  uint64_t seed = 0;
  int grid_rows = 1, grid_cols = 1;
  int64_t block = 0, panel = 0;
  std::string kernel{};   // "best"
  std::string carrier{};  // "nccl" or "mpi"
  bool correct = false;
  double error_over_bound = 0;  // the largest, over all samples
  int64_t elements_compared = 0;
  std::vector<std::string> failures{};    // why it is not correct
  std::vector<double> samples_s{};        // of each repetition, of the slowest process
  bool reproducible = false;              // the same bits on every grid
  std::vector<double> usual_samples_s{};  // of a reproducible product: without that
  int64_t device_bytes = 0;               // what a GPU may hold; 0: the matrices lie in its memory
  int64_t tiles = 1;                      // of C, one after the other
  int64_t tiles_found = 0;                // of them, in a checkpoint
  std::string bits{};  // of C: 16 hexadecimal digits, which do not depend on the grid

  // One GPU with the whole product, in the same run.
  std::vector<double> one_gpu_samples_s{}, cublas_samples_s{};
  std::vector<double> cublasmp_samples_s{};  // all GPUs with cuBLASMp, in the same run
  std::optional<double> model_s{};           // what the cost model says (distributed_model.hpp)
  int64_t least_bytes = 0;                   // least_bytes_of(M, N, K, gpus())
  std::vector<DistributedProcess> processes{};
  bool operator==(const DistributedProduct&) const = default;

  int gpus() const { return grid_rows * grid_cols; }
};

/// The floating-point operations of the product.
double flops_of(const DistributedProduct& product);
/// The median seconds of all processes together.
double seconds_of(const DistributedProduct& product);
/// Returns the time that one GPU takes for the whole product, over GPUs times the product's time: 1 if nothing is lost. It is unknown if
/// one GPU was not timed, or a part of C came from a checkpoint.
std::optional<double> efficiency_of(const DistributedProduct& product);
/// Returns the speed over that of as many GPUs with cuBLAS that need no messages: 4 is four times as fast.
std::optional<double> share_of_cublas(const DistributedProduct& product);
/// Returns how much of the messages' time lay behind the products, on the process on which the least did: from 0 to 1.
double hidden_share(const DistributedProduct& product);
/// Returns the bytes that all processes received.
int64_t received_bytes(const DistributedProduct& product);

/// Returns the bytes that this many processes receive at least if one of A, B and C stays where it is, on the best grid: all processes of a
/// row of the grid need the same rows of a matrix, and all of a column the same columns of another.
int64_t least_bytes_of(int64_t M, int64_t N, int64_t K, int processes);

}  // namespace results
