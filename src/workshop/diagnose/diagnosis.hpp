// Finds likely causes for a wrong C. For each known mistake it computes the matrix that the mistake would leave, and
// compares it with C. A pattern alone counts as a cause only if hardly any other mistake leaves it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/page.hpp"

namespace workshop {

/// A block's share of the work: its tile of C, and the depth along K that it stages at once. 0 if unknown.
struct BlockTile {
  int64_t rows = 0, cols = 0, depth = 0;
  bool operator==(const BlockTile&) const = default;
};

/// Returns the tile that a kernel's source states as `BM = 64`, `BN = 64`, `BK = 8`; 0 for a size that it does not
/// state.
BlockTile tile_of_source(std::string_view source);

/// A product's inputs and a kernel's result. Row-major: element (i, j) of A is A[i * lda + j]. All values are whole
/// numbers, small enough for FP32 to add them exactly in any order (runner/verify/inputs.hpp), because elements are
/// compared exactly.
struct Evidence {
  int64_t M = 0, N = 0, K = 0;
  float alpha = 1, beta = 0;
  int64_t lda = 0, ldb = 0, ldc = 0;
  std::vector<float> A{}, B{};
  std::vector<float> before{};  // C before the call: poison (runner/verify/inputs.hpp) if beta = 0
  std::vector<float> C{};       // C after the call
  BlockTile tile{};
};

/// A known pattern of wrong elements.
struct Cause {
  std::string name{};      // "transposed"
  std::string sentence{};  // for the learner: the pattern, and the usual mistake behind it
};

struct Diagnosis {
  int64_t wrong = 0;  // number of wrong elements
  std::vector<Cause>
      causes{};       // all that fit, the most telling first; none if the pattern is unknown
  std::string map{};  // the places of the wrong elements, in lines; see wrong_map()
};

/// Finds the causes that explain nine in ten of the wrong elements and contradict no right one, and draws the map for
/// `page`. Throws std::invalid_argument if a matrix is smaller than its sizes say.
Diagnosis diagnose(const Evidence& evidence, const text::Page& page);

/// Returns the names of all causes, the most telling first.
std::vector<std::string> cause_names();

}  // namespace workshop
