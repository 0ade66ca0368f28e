// A grid of processes, as the public header has it.
#pragma once

#include <mpi.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>

#include "distributed/layout/layout.hpp"
#include "distributed/library/agreement.hpp"
#include "distributed/library/arguments.hpp"
#include "distributed/product/workspace.hpp"
#include "distributed/transport/transport.hpp"

namespace distributed {

/// A communicator of its own. Errors of MPI come back as statuses.
class Communicator {
 public:
  /// All processes of `comm` call it.
  explicit Communicator(MPI_Comm comm);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  operator MPI_Comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// What sgemm_ladder_grid stands for.
class ProcessGrid {
 public:
  /// All processes of `comm` call it. `has_place`: the caller has a place for the grid. Throws a Failure on all processes, or on none.
  ProcessGrid(MPI_Comm comm, int rows, int cols, bool has_place);

  /// Computes the product. All processes of the grid call it. Throws a Failure on all processes, or on none.
  void multiply(const Arguments& arguments);

  const Grid& shape() const { return shape_; }
  int rank() const { return rank_; }

 private:
  void refuse_together(const std::function<void()>& step);
  void check_device() const;
  void check_memory(const Product& product) const;

  const Communicator comm_;
  Agreement agreement_;
  const Grid shape_;
  int rank_ = 0;
  int device_ = 0;
  bool has_failed_ = false;
  std::unique_ptr<Transport> transport_;
  std::optional<Workspace> workspace_;
};

}  // namespace distributed
