// The arguments of sgemm_ladder_distributed_sgemm(), and what is allowed.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "distributed/layout/layout.hpp"
#include "distributed/product/product.hpp"
#include "sgemm_ladder_distributed.h"

namespace distributed {

struct Arguments {
  int trans_a, trans_b;
  int64_t m, n, k;
  float alpha;
  const float* A;
  const int64_t* desc_a;
  const float* B;
  const int64_t* desc_b;
  float beta;
  float* C;
  const int64_t* desc_c;
  const sgemm_ladder_distributed_options* options;

  bool is_empty() const { return m == 0 || n == 0; }
  bool has_product() const { return !is_empty() && k != 0 && alpha != 0; }
};

/// Throws a Failure for an argument that is not allowed.
void check_arguments(const Arguments& arguments, const Grid& grid, int rank);

/// The numbers that must be the same on all processes.
using CommonNumbers = std::array<int64_t, 21>;

/// Returns these numbers of arguments that are allowed.
CommonNumbers common_numbers(const Arguments& arguments);

/// Throws a Failure if these are not the numbers of rank 0.
void check_common(const Arguments& arguments, const CommonNumbers& of_first);

/// Returns the product that the arguments ask for.
Product product_of(const Arguments& arguments, const Grid& grid);

/// Returns the layout of a descriptor. Throws a Failure for a number that is not allowed. `argument` describes the descriptor:
/// "argument 2 (desc)". LLD_ is not checked.
Layout checked_layout(const std::string& argument, const int64_t* desc, const Grid& grid);

/// Throws a Failure for an argument that has another value on rank 0.
[[noreturn]] void throw_mismatch(const std::string& argument, const std::string& here,
                                 const std::string& on_first);

/// Throws a Failure for an argument that is not allowed: "argument 4 (m) is -1; it must be at least 0".
[[noreturn]] void throw_invalid(const std::string& argument, const std::string& complaint);

}  // namespace distributed
