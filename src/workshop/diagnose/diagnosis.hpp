// Of a wrong C, what went wrong. For each known mistake the matrix is made that it would leave, and held against the one that
// is there; a pattern alone is taken for a cause only where it can hardly be anything else.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/page.hpp"

namespace workshop {

/// How a block divides the work: its tile of C, and how many steps along K it stages at a time. 0 where that is not known.
struct BlockTile {
  int64_t rows = 0, cols = 0, depth = 0;
  bool operator==(const BlockTile&) const = default;
};

/// The tile that a kernel's source states as `BM = 64`, `BN = 64`, `BK = 8`; 0 for what it does not.
BlockTile tile_of_source(std::string_view source);

/// A product, and what a kernel made of it. Row-major: element (i, j) of A lies at A[i * lda + j]. All are whole numbers so
/// small that FP32 adds them exactly in any order (runner/verify/inputs.hpp), for elements are compared as they are.
struct Evidence {
  int64_t M = 0, N = 0, K = 0;
  float alpha = 1, beta = 0;
  int64_t lda = 0, ldb = 0, ldc = 0;
  std::vector<float> A{}, B{};
  std::vector<float>
      before{};            // C before the call: poison (runner/verify/inputs.hpp) where beta = 0
  std::vector<float> C{};  // and after it
  BlockTile tile{};
};

/// A pattern of wrong elements that is known by name.
struct Cause {
  std::string name{};      // "transposed"
  std::string sentence{};  // for the learner: what was seen, and what usually makes it
};

struct Diagnosis {
  int64_t wrong = 0;  // elements
  std::vector<Cause>
      causes{};  // those that hold, the most telling first; none where the pattern is not known
  std::string map{};  // where the wrong elements lie, in lines; see wrong_map()
};

/// Looks for the causes that explain nine in ten of the wrong elements and contradict none that is right, and draws the map
/// for `page`. Throws std::invalid_argument where a matrix is smaller than the sizes say.
Diagnosis diagnose(const Evidence& evidence, const text::Page& page);

/// The names of all causes, the most telling first.
std::vector<std::string> cause_names();

}  // namespace workshop
