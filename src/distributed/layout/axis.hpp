// One dimension of a matrix that is dealt out to processes block by block, as ScaLAPACK deals it out.
#pragma once

#include <cuda_runtime.h>  // for __host__ and __device__

#include <cstdint>
#include <vector>

namespace distributed {

/// The elements 0 to size - 1 in blocks of neighbours. The process `first` has the first block, the next process the next block, and so on in
/// turns. The last block may be shorter.
struct Axis {
  int64_t size = 0;
  int64_t block = 1;
  int processes = 1;
  int first = 0;

  bool operator==(const Axis&) const = default;

  /// Returns the process that has an element.
  int owner(int64_t element) const;
  /// Returns how many elements a process has (ScaLAPACK's NUMROC).
  int64_t size_on(int process) const;
  /// Returns an element's place among those of its process (INDXG2L).
  int64_t place_of(int64_t element) const;
  /// Returns the element in a place of a process (INDXL2G).
  __host__ __device__ int64_t element_at(int64_t place, int process) const {
    const int turn = (process - first + processes) % processes;  // 0 has the first block
    return (place / block * processes + turn) * block + place % block;
  }
};

/// Neighbours that are copied: `length` places from `from` on go to the places from `to` on.
struct Segment {
  int64_t from = 0, to = 0, length = 0;
  bool operator==(const Segment&) const = default;
};

/// Returns the segments of the elements that `sender` has in the axis `from` and `receiver` has in the axis `to`. Both axes have the same size.
std::vector<Segment> segments_between(const Axis& from, int sender, const Axis& to, int receiver);

/// Returns the segments of the elements from `begin` to `end` - 1 that `sender` has. They go to their distances from `begin`.
std::vector<Segment> segments_within(const Axis& from, int sender, int64_t begin, int64_t end);

/// Returns the sum of the segments' lengths.
int64_t length_of(const std::vector<Segment>& segments);

}  // namespace distributed
