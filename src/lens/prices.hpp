// The price of one warp's memory access: the rules of the memory system, as pure functions.
//
// They are exact for the H200: test/data/shared_wavefronts_h200.csv and global_counters_h200.csv hold
// counters measured there, and the tests compare every one.
#pragma once

#include <array>
#include <cstdint>

#include "lens/request.hpp"

namespace lens {

/// The addresses of one warp instruction. Addresses of lanes outside `active` have no meaning.
struct WarpAddresses {
  std::array<uint64_t, LANES> lane;
  uint32_t active;
};

/// Counts the distinct 32-byte sectors that the active lanes touch, each `bytes` wide: the price of a global access.
uint32_t count_sectors(const WarpAddresses& addresses, uint32_t bytes);

/// Counts the distinct 128-byte lines that the active lanes touch.
uint32_t count_lines(const WarpAddresses& addresses, uint32_t bytes);

/// Counts the distinct bytes that the active lanes ask for; a shared address counts once.
uint32_t count_distinct_bytes(const WarpAddresses& addresses, uint32_t bytes);

/// The price of a shared-memory access. An instruction runs in phases, and a phase serves some of the lanes. Shared memory
/// has 32 banks of four bytes. A phase takes as many wavefronts as its lanes ask for distinct words in the busiest bank.
struct SharedCost {
  uint32_t wavefronts = 0;
  uint32_t phases = 0;
  std::array<uint32_t, 4> lanes{};  // the active lanes of each phase; 0: no further phase
  uint32_t bank_conflicts() const { return wavefronts - phases; }
};

/// A matrix load (ldmatrix) runs in phases of 8 lanes, one phase for each matrix. The addresses of its lanes are the
/// matrix's rows.
enum class SharedAccess { load, store, matrix_load };
SharedCost shared_cost(const WarpAddresses& addresses, uint32_t bytes, SharedAccess access);

}  // namespace lens
