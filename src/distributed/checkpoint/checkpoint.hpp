// The finished tiles of C in a folder, from which a later run goes on.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "distributed/product/tiles.hpp"

namespace distributed {

/// What makes a product: names and values, as the folder's file `product` has them. Another run's must be equal.
using Identity = std::vector<std::pair<std::string, std::string>>;

/// All processes make one and call its functions together. They see one folder. A tile is a file with its elements column by column, as on a
/// single process, so that a run on another grid can read it, and a file with its sums. A file is written aside and renamed.
class Checkpoint {
 public:
  /// Makes the folder, or looks into it. Throws runner::Error(ExitCode::usage) on all processes if it has another product, or cannot be
  /// written.
  Checkpoint(const std::string& folder, const Identity& identity, MPI_Comm world);

  /// True if a tile is there.
  bool has(size_t tile) const;
  /// Writes a tile from the processes' parts of C. Throws std::runtime_error.
  void save(size_t tile, const Product& part, const Grid& grid) const;
  /// Reads a tile into the processes' parts of C. Returns false if it is damaged: then it was removed.
  bool load(size_t tile, const Product& part, const Grid& grid) const;

 private:
  std::string path(size_t tile, const char* suffix) const;

  const std::string folder_;
  const MPI_Comm world_;
  int rank_ = 0;
};

}  // namespace distributed
