// One request: a warp's memory access by one instruction, as it was observed. All drawings start from it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lens {

/// Lanes of a warp.
inline constexpr int LANES = 32;
inline constexpr uint32_t SECTOR_BYTES = 32;
inline constexpr int64_t LINE_BYTES = 128;  // in shared memory: all banks once

/// The path of an access through the memory system.
enum class Path { global, shared, local };
enum class Action { load, store, atomic };

/// A warp's access: the addresses that the kernel computed, and the counted price.
struct Request {
  std::string kernel{};  // demangled, without its parameter list
  std::string file{};    // the user's line
  int line = 0;
  std::string instruction{};  // "ld.global.v4.f32"
  Path path = Path::global;
  Action action = Action::load;
  std::string buffer{};       // "A"; "shared"
  uint64_t buffer_base = 0;   // the address of its first byte; in shared memory 0
  uint64_t buffer_bytes = 0;  // its size; 0 if unknown
  uint32_t bytes_per_lane = 0;

  uint64_t launch = 0;                   // 1: the first since recording began
  std::array<uint32_t, 3> grid{};        // gridDim
  std::array<uint32_t, 3> block{};       // blockIdx
  std::array<uint32_t, 3> block_size{};  // blockDim
  uint32_t warp = 0;                     // of the block
  // The number of earlier requests of the warp with the same line, instruction and buffer. An unrolled loop's copies of
  // an instruction count as one, as they do in the counters.
  uint64_t nth = 0;

  uint32_t active = 0;                      // the lanes that took part, lane 0 the lowest bit
  std::array<uint64_t, LANES> addresses{};  // of the active lanes; 0 elsewhere

  uint32_t sectors = 0;         // 32-byte sectors; 0 in shared memory
  uint32_t lines = 0;           // 128-byte lines; 0 in shared memory
  uint32_t bytes_used = 0;      // distinct bytes asked for
  uint32_t wavefronts = 0;      // shared memory: passes over its banks
  uint32_t bank_conflicts = 0;  // shared memory: wavefronts beyond one for each phase
  std::array<uint32_t, 4>
      phases{};  // shared memory: the lanes that each phase serves; 0: no further phase

  bool operator==(const Request&) const = default;
};

/// Selects the requests to record, for each line, instruction and buffer. If `chosen`, they are one warp's requests in
/// the first launch in which it made any. Otherwise they begin with the worst request of all warps.
struct Wanted {
  bool any = false;     // false: record no request, which costs nothing
  bool chosen = false;  // true: of `block` and `warp`, from `first` on; false: the worst of all
  uint64_t block = 0;   // linear number of the block in the grid
  uint32_t warp = 0;
  uint64_t first = 0;
  // The number of consecutive requests, at least 1. The worst request is the first of them.
  uint64_t count = 1;
  // The source line, in files with this name (see is_file()). 0: any line.
  std::string file{};
  int line = 0;
};

/// True if a file's path ends with the name: "copy.cu" or "src/copy.cu" for "/home/me/src/copy.cu".
bool is_file(std::string_view path, std::string_view name);

/// True if `a` is worse than `b`. Compares the bank conflicts, then the sectors beyond the number that the bytes need,
/// then all sectors.
bool is_worse(const Request& a, const Request& b);

/// Returns the number of the request's block in the grid, x first.
uint64_t linear_block(const Request& request);

}  // namespace lens
