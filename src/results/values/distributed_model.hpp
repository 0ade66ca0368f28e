// A cost model of a product on many GPUs. It is a model: for what was measured see docs/distributed.md.
#pragma once

#include "results/values/distributed.hpp"

namespace results {

/// What GPUs and their links do in a second.
struct Rates {
  double flops = 0;  // of a GPU that multiplies a panel
  /// That a GPU receives from another one of its host. Measured with NCCL's broadcast on two H200s; their NVLink has 450e9 each way
  /// (https://www.nvidia.com/en-us/data-center/h200/: 900 GB/s both ways).
  double nvlink_bytes = 360e9;
  /// That a GPU receives from another host: an InfiniBand NDR port of 400 Gbit/s for each GPU, as in a DGX H200
  /// (https://docs.nvidia.com/dgx/dgxh100-user-guide/introduction-to-dgxh100.html). Not measured.
  double network_bytes = 50e9;
  double memory_bytes = 3.6e12;  // that a GPU reads or writes, when it copies and sums panels
  double panel_s = 60e-6;        // that the kernels of a panel take to start
  int gpus_per_host = 8;         // consecutive ranks
};

/// What the model says of a product.
struct Prediction {
  double seconds = 0;     // of the whole
  double products_s = 0;  // in which a GPU multiplies
  double messages_s = 0;  // in which a GPU brings panels
};

/// Returns what the model says. It uses the sizes, the grid and the panel's width of `product`. Its matrices lie in the GPUs' memory.
///
/// A panel's messages take the bytes that a process receives over the link's rate, and lie behind the product of the panel before. Packing,
/// summing and unpacking use the GPU's memory, and delay the products. Rows of the grid are consecutive ranks.
Prediction predict(const DistributedProduct& product, const Rates& rates);

/// Returns the seconds that the model says for a measured product, whose GPUs multiply as fast as one GPU did in the same run. Nothing if
/// that is unknown, or if the model does not cover the product: not over NCCL, reproducible, or with the matrices in the host's memory.
std::optional<double> modelled_seconds(const DistributedProduct& product);

}  // namespace results
