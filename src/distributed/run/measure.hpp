// Computes, checks and measures one product on all processes.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "distributed/product/tiles.hpp"
#include "distributed/run/matrices.hpp"
#include "distributed/transport/transport.hpp"
#include "results/values/distributed.hpp"

namespace distributed {

/// How a product is measured.
struct Protocol {
  int repetitions = 3;
  int64_t samples = 64;       // elements that each process compares with FP64
  bool has_one_gpu = true;    // also the whole product on one GPU
  bool has_reference = true;  // also with cuBLASMp, if this build has it
  std::string checkpoint{};   // a folder for finished tiles of C; empty: none
};

/// What the process 0 knows after a product. The others have an empty one.
struct Measured {
  results::DistributedProduct product{};
  std::string note{};  // why there is no time of one GPU, if there is none
};

/// Describes a product that was not computed yet.
results::DistributedProduct description_of(const Problem& problem, const Grid& grid);

/// Returns the tiles of C in which the product is computed. Throws runner::Error(ExitCode::usage) on all processes if it does not fit into
/// the memory of one, before anything is allocated.
std::vector<Tile> planned_tiles(const Problem& problem, const Grid& grid, const Protocol& protocol,
                                MPI_Comm world);

/// Computes the product of whole numbers and checks it exactly; times the whole product on one GPU; then computes the product that was asked
/// for several times, checks it with sums of rows and columns, and compares samples with FP64. With a checkpoint it computes only the tiles
/// that are not there, once, and the product of whole numbers only if none is there. All processes of the grid call it. Throws
/// runner::Error(ExitCode::usage) for another product's checkpoint, else std::runtime_error.
Measured measure(const Problem& problem, const Grid& grid, const Protocol& protocol,
                 const std::vector<Tile>& tiles, Transport& transport, MPI_Comm world);

}  // namespace distributed
