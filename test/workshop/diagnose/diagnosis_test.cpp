// Each cause is found for a mistake that makes it: host code computes C like a kernel with that mistake.
#include "workshop/diagnose/diagnosis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <functional>
#include <set>
#include <stdexcept>

#include "results/values/problem.hpp"
#include "runner/verify/inputs.hpp"

namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using workshop::BlockTile;
using workshop::Evidence;

constexpr text::Page PLAIN{.width = 80};

struct Shape {
  int64_t M, N, K;
};

// Returns the inputs of the pass over integers, and a C that is not written yet. `padding` floats follow each row.
Evidence before_the_call(const Shape& shape, const BlockTile& tile, float alpha = 1, float beta = 0,
                         int64_t padding = 0) {
  results::Problem problem = results::dense_problem(shape.M, shape.N, shape.K);
  problem.alpha = alpha;
  problem.beta = beta;
  const runner::Inputs inputs(problem, runner::Values::integers);
  const float poison = std::bit_cast<float>(runner::POISON_BITS);
  const auto filled = [&](runner::Operand operand, int64_t rows, int64_t cols, bool is_known) {
    std::vector<float> matrix(static_cast<size_t>(rows * (cols + padding)), poison);
    for (int64_t i = 0; is_known && i < rows; ++i) {
      inputs.fill_row(operand, i,
                      {matrix.data() + i * (cols + padding), static_cast<size_t>(cols)});
    }
    return matrix;
  };
  Evidence e{.M = shape.M,
             .N = shape.N,
             .K = shape.K,
             .alpha = inputs.alpha(),
             .beta = inputs.beta(),
             .lda = shape.K + padding,
             .ldb = shape.N + padding,
             .ldc = shape.N + padding,
             .A = filled(runner::Operand::A, shape.M, shape.K, true),
             .B = filled(runner::Operand::B, shape.K, shape.N, true),
             .before = filled(runner::Operand::C, shape.M, shape.N, beta != 0),
             .tile = tile};
  e.C = e.before;
  return e;
}

float a(const Evidence& e, int64_t i, int64_t k) {
  return e.A.at(static_cast<size_t>(i * e.lda + k));
}
float b(const Evidence& e, int64_t k, int64_t j) {
  return e.B.at(static_cast<size_t>(k * e.ldb + j));
}
float& c(Evidence& e, int64_t i, int64_t j) { return e.C.at(static_cast<size_t>(i * e.ldc + j)); }

void store(Evidence& e, int64_t i, int64_t j, float sum) {
  c(e, i, j) = e.alpha * sum + (e.beta == 0 ? 0 : e.beta * c(e, i, j));
}

// Returns the sum over the steps [first, last) along K.
float sum_of(const Evidence& e, int64_t i, int64_t j, int64_t first, int64_t last) {
  float sum = 0;
  for (int64_t k = first; k < last; ++k) sum += a(e, i, k) * b(e, k, j);
  return sum;
}
float right_sum(const Evidence& e, int64_t i, int64_t j) { return sum_of(e, i, j, 0, e.K); }

// Stores sum(i, j) in every element of C.
void every_element(Evidence& e, const std::function<float(int64_t, int64_t)>& sum) {
  for (int64_t i = 0; i < e.M; ++i) {
    for (int64_t j = 0; j < e.N; ++j) store(e, i, j, sum(i, j));
  }
}

int64_t tiles(int64_t size, int64_t tile) { return (size + tile - 1) / tile; }

// A thread for each element of a tile: the row and column of C of thread t of block (down, across), tested at the edge.
struct Place {
  int64_t row, col;
};
void every_thread(Evidence& e, const std::function<Place(int64_t block, int64_t t)>& place) {
  const auto& [BM, BN, BK] = e.tile;
  for (int64_t block = 0; block < tiles(e.M, BM) * tiles(e.N, BN); ++block) {
    for (int64_t t = 0; t < BM * BN; ++t) {
      const auto [row, col] = place(block, t);
      if (row < 0 || row >= e.M || col < 0 || col >= e.N) continue;
      c(e, row, col) = right_sum(e, row, col);
    }
  }
}

// Computes a product through As and Bs, tile by tile. stage(As, Bs, k0) fills them for the tile whose first row and
// column of C are given. add(sum, As, Bs, y, x) is the inner loop of thread (y, x). Beyond the edges zeros are staged.
constexpr int64_t T = 32;
using Shared = std::array<std::array<float, T>, T>;
struct Staged {
  Shared As{}, Bs{};
};
using Stage = std::function<void(Staged& s, int64_t row0, int64_t col0, int64_t k0)>;
using Add = std::function<void(float& sum, const Staged& s, size_t y, size_t x)>;

void stage_as_it_should_be(const Evidence& e, Staged& s, int64_t row0, int64_t col0, int64_t k0) {
  for (size_t y = 0; y < T; ++y) {
    for (size_t x = 0; x < T; ++x) {
      const int64_t row = row0 + static_cast<int64_t>(y), col = col0 + static_cast<int64_t>(x);
      const int64_t ak = k0 + static_cast<int64_t>(x), bk = k0 + static_cast<int64_t>(y);
      s.As[y][x] = row < e.M && ak < e.K ? a(e, row, ak) : 0;
      s.Bs[y][x] = bk < e.K && col < e.N ? b(e, bk, col) : 0;
    }
  }
}

void add_as_it_should_be(float& sum, const Staged& s, size_t y, size_t x) {
  for (size_t k = 0; k < T; ++k) sum += s.As[y][k] * s.Bs[k][x];
}

void tile_by_tile(Evidence& e, const Stage& stage, const Add& add) {
  for (int64_t row0 = 0; row0 < e.M; row0 += T) {
    for (int64_t col0 = 0; col0 < e.N; col0 += T) {
      std::array<std::array<float, T>, T> sums{};
      Staged s;
      for (int64_t k0 = 0; k0 < e.K; k0 += T) {
        stage(s, row0, col0, k0);
        for (size_t y = 0; y < T; ++y) {
          for (size_t x = 0; x < T; ++x) add(sums[y][x], s, y, x);
        }
      }
      for (size_t y = 0; y < T; ++y) {
        for (size_t x = 0; x < T; ++x) {
          const int64_t row = row0 + static_cast<int64_t>(y), col = col0 + static_cast<int64_t>(x);
          if (row < e.M && col < e.N) store(e, row, col, sums[y][x]);
        }
      }
    }
  }
}

using Mistake = void (*)(Evidence& e);

struct Planted {
  const char* cause;
  const char* how;
  Mistake make;
  std::vector<Shape> shapes{{70, 90, 80}, {100, 65, 104}};
  BlockTile tile{32, 32, 32};
  float alpha = 1, beta = 0;
};

// No shape is square, and none is a multiple of the tile unless the mistake needs it.
const Planted PLANTED[] = {
    {"nothing written", "no store", [](Evidence&) {}},
    {"nothing written", "no store, beta 2", [](Evidence&) {}, {{70, 90, 80}}, {32, 32, 32}, 1, 2},
    {"all zeros", "the loop is never entered",
     [](Evidence& e) { every_element(e, [](int64_t, int64_t) { return 0.0F; }); }},
    {"all zeros",
     "the loop is never entered, beta 1",
     [](Evidence& e) { every_element(e, [](int64_t, int64_t) { return 0.0F; }); },
     {{70, 90, 80}},
     {32, 32, 32},
     1,
     1},
    {"old C kept at beta = 0", "C += over a C that held numbers",
     [](Evidence& e) {
       for (size_t at = 0; at < e.C.size(); ++at) {
         e.before[at] = e.C[at] = static_cast<float>(at % 11 + 1);
       }
       for (int64_t i = 0; i < e.M; ++i) {
         for (int64_t j = 0; j < e.N; ++j) c(e, i, j) += right_sum(e, i, j);
       }
     }},
    {"alpha ignored",
     "C = sum",
     [](Evidence& e) {
       e.alpha = 1;
       every_element(e, [&](int64_t i, int64_t j) { return right_sum(e, i, j); });
       e.alpha = 2;
     },
     {{70, 90, 80}},
     {32, 32, 32},
     2,
     1},
    {"alpha ignored",
     "C = sum where beta is to count too",
     [](Evidence& e) {
       for (int64_t i = 0; i < e.M; ++i) {
         for (int64_t j = 0; j < e.N; ++j) c(e, i, j) = right_sum(e, i, j);
       }
     },
     {{70, 90, 80}},
     {},
     -2,
     2},
    {"beta ignored",
     "C = alpha * sum",
     [](Evidence& e) {
       for (int64_t i = 0; i < e.M; ++i) {
         for (int64_t j = 0; j < e.N; ++j) c(e, i, j) = e.alpha * right_sum(e, i, j);
       }
     },
     {{70, 90, 80}},
     {},
     1,
     2},
    {"beta taken for 1",
     "C += alpha * sum",
     [](Evidence& e) {
       for (int64_t i = 0; i < e.M; ++i) {
         for (int64_t j = 0; j < e.N; ++j) c(e, i, j) += e.alpha * right_sum(e, i, j);
       }
     },
     {{70, 90, 80}},
     {},
     1,
     2},
    {"alpha and beta changed places",
     "blend(beta, sum, alpha, c)",
     [](Evidence& e) {
       for (int64_t i = 0; i < e.M; ++i) {
         for (int64_t j = 0; j < e.N; ++j) {
           c(e, i, j) = e.beta * right_sum(e, i, j) + e.alpha * c(e, i, j);
         }
       }
     },
     {{70, 90, 80}},
     {},
     1,
     2},
    {"only the last step of K", "= in place of +=",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) {
         float sum = 0;
         for (int64_t k = 0; k < e.K; ++k) sum = a(e, i, k) * b(e, k, j);
         return sum;
       });
     }},
    {"only the first step of K", "no loop",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) { return a(e, i, 0) * b(e, 0, j); });
     }},
    {"first K tile only", "no loop over the tiles",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) { return sum_of(e, i, j, 0, e.tile.depth); });
     }},
    {"first K tile only", "the same where the tile is not known",
     [](Evidence& e) {
       e.tile = {};
       every_element(e, [&](int64_t i, int64_t j) { return sum_of(e, i, j, 0, 8); });
     }},
    {"last K tile only", "the sum is declared inside the loop",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) {
         float stored = 0;
         for (int64_t k0 = 0; k0 < e.K; k0 += e.tile.depth) {
           stored = sum_of(e, i, j, k0, std::min(e.K, k0 + e.tile.depth));
         }
         return stored;
       });
     }},
    {"K cut at a whole tile", "K / BK tiles",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) {
         return sum_of(e, i, j, 0, e.K / e.tile.depth * e.tile.depth);
       });
     }},
    {"last K tile missing",
     "one tile too few",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) {
         return sum_of(e, i, j, 0, (e.K / e.tile.depth - 1) * e.tile.depth);
       });
     },
     {{70, 90, 96}, {100, 65, 104}}},
    {"first K tile missing", "what was staged before the loop is overwritten",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) { return sum_of(e, i, j, e.tile.depth, e.K); });
     }},
    {"neither factor advanced along K", "no a += BK and no b += BK * ldb",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) {
         float sum = 0;
         for (int64_t k0 = 0; k0 < e.K; k0 += e.tile.depth) {
           sum += sum_of(e, i, j, 0, std::min(e.tile.depth, e.K - k0));
         }
         return sum;
       });
     }},
    {"A not advanced along K", "no a += BK",
     [](Evidence& e) {
       tile_by_tile(
           e,
           [&](Staged& s, int64_t row0, int64_t col0, int64_t k0) {
             Staged other;
             stage_as_it_should_be(e, s, row0, col0, k0);
             stage_as_it_should_be(e, other, row0, col0, 0);
             s.As = other.As;
           },
           add_as_it_should_be);
     }},
    {"B not advanced along K", "no b += BK * ldb",
     [](Evidence& e) {
       tile_by_tile(
           e,
           [&](Staged& s, int64_t row0, int64_t col0, int64_t k0) {
             Staged other;
             stage_as_it_should_be(e, s, row0, col0, k0);
             stage_as_it_should_be(e, other, row0, col0, 0);
             s.Bs = other.Bs;
           },
           add_as_it_should_be);
     }},
    {"last step of K missing", "k < K - 1",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) { return sum_of(e, i, j, 0, e.K - 1); });
     }},
    {"first step of K missing", "k begins at 1",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) { return sum_of(e, i, j, 1, e.K); });
     }},
    {"last step of every K tile missing", "k < BK - 1",
     [](Evidence& e) {
       tile_by_tile(
           e,
           [&](Staged& s, int64_t r, int64_t q, int64_t k0) {
             stage_as_it_should_be(e, s, r, q, k0);
           },
           [](float& sum, const Staged& s, size_t y, size_t x) {
             for (size_t k = 0; k < T - 1; ++k) sum += s.As[y][k] * s.Bs[k][x];
           });
     }},
    {"first step of every K tile missing", "k begins at 1",
     [](Evidence& e) {
       tile_by_tile(
           e,
           [&](Staged& s, int64_t r, int64_t q, int64_t k0) {
             stage_as_it_should_be(e, s, r, q, k0);
           },
           [](float& sum, const Staged& s, size_t y, size_t x) {
             for (size_t k = 1; k < T; ++k) sum += s.As[y][k] * s.Bs[k][x];
           });
     }},
    {"stale values beyond the end of K", "a test at the end of K, and no zero in the other case",
     [](Evidence& e) {
       tile_by_tile(
           e,
           [&](Staged& s, int64_t row0, int64_t col0, int64_t k0) {
             const Staged old = s;
             stage_as_it_should_be(e, s, row0, col0, k0);
             for (size_t y = 0; y < T; ++y) {
               for (size_t x = 0; x < T; ++x) {
                 if (k0 + static_cast<int64_t>(x) >= e.K) s.As[y][x] = old.As[y][x];
                 if (k0 + static_cast<int64_t>(y) >= e.K) s.Bs[y][x] = old.Bs[y][x];
               }
             }
           },
           add_as_it_should_be);
     }},
    {"sums not cleared", "the sum so far is stored, and added, after each tile",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) {
         float sum = 0, stored = 0;
         for (int64_t k0 = 0; k0 < e.K; k0 += e.tile.depth) {
           sum += sum_of(e, i, j, k0, std::min(e.K, k0 + e.tile.depth));
           stored += sum;
         }
         return stored;
       });
     }},
    {"sums not cleared", "one sum for the eight rows of a thread",
     [](Evidence& e) {
       for (int64_t row = 0; row < e.M; row += 8) {
         for (int64_t j = 0; j < e.N; ++j) {
           float sum = 0;
           for (int64_t i = row; i < std::min(e.M, row + 8); ++i) {
             sum += right_sum(e, i, j);
             c(e, i, j) = sum;
           }
         }
       }
     }},
    {"sums not cleared", "one sum for the four columns of a thread",
     [](Evidence& e) {
       for (int64_t i = 0; i < e.M; ++i) {
         float sum = 0;
         for (int64_t j = 0; j < e.N; ++j) {
           if (j % 4 == 0) sum = 0;
           sum += right_sum(e, i, j);
           c(e, i, j) = sum;
         }
       }
     }},
    {"sums not cleared", "a block that walks along a row of tiles",
     [](Evidence& e) {
       for (int64_t i = 0; i < e.M; ++i) {
         for (int64_t x = 0; x < e.tile.cols; ++x) {
           float sum = 0;
           for (int64_t j = x; j < e.N; j += e.tile.cols) c(e, i, j) = sum += right_sum(e, i, j);
         }
       }
     }},
    {"sums not cleared", "a block that walks down a column of tiles",
     [](Evidence& e) {
       for (int64_t j = 0; j < e.N; ++j) {
         for (int64_t y = 0; y < e.tile.rows; ++y) {
           float sum = 0;
           for (int64_t i = y; i < e.M; i += e.tile.rows) c(e, i, j) = sum += right_sum(e, i, j);
         }
       }
     }},
    {"counted several times", "a loop too many",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) { return 3 * right_sum(e, i, j); });
     }},
    {"As read at the thread's own column", "As[y][x] for As[y][k]",
     [](Evidence& e) {
       tile_by_tile(
           e,
           [&](Staged& s, int64_t r, int64_t q, int64_t k0) {
             stage_as_it_should_be(e, s, r, q, k0);
           },
           [](float& sum, const Staged& s, size_t y, size_t x) {
             for (size_t k = 0; k < T; ++k) sum += s.As[y][x] * s.Bs[k][x];
           });
     }},
    {"Bs read at the thread's own row", "Bs[y][x] for Bs[k][x]",
     [](Evidence& e) {
       tile_by_tile(
           e,
           [&](Staged& s, int64_t r, int64_t q, int64_t k0) {
             stage_as_it_should_be(e, s, r, q, k0);
           },
           [](float& sum, const Staged& s, size_t y, size_t x) {
             for (size_t k = 0; k < T; ++k) sum += s.As[y][k] * s.Bs[y][x];
           });
     }},
    {"transposed",
     "C[col * ldc + row]",
     [](Evidence& e) {
       for (int64_t i = 0; i < e.M; ++i) {
         for (int64_t j = 0; j < e.N; ++j) {
           // Beyond the matrix a device would fault or overwrite neighbours.
           if (j * e.ldc + i < std::ssize(e.C)) c(e, 0, j * e.ldc + i) = right_sum(e, i, j);
         }
       }
     },
     {{70, 70, 48}, {90, 65, 48}, {60, 65, 48}}},
    {"transposed",
     "rows and columns changed places in the sums",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) {
         float sum = 0;
         for (int64_t k = 0; k < e.K; ++k) sum += a(e, j, k) * b(e, k, i);
         return sum;
       });
     },
     {{70, 70, 48}}},
    {"every tile transposed",
     "the store's x and y changed places",
     [](Evidence& e) {
       for (int64_t i = 0; i < e.M; ++i) {
         for (int64_t j = 0; j < e.N; ++j) {
           const int64_t row = i - i % 32 + j % 32, col = j - j % 32 + i % 32;
           if (row < e.M && col < e.N) c(e, row, col) = right_sum(e, i, j);
         }
       }
     },
     {{128, 96, 50}, {320, 350, 24}}},
    {"A read transposed",
     "A[k * lda + row]",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) {
         float sum = 0;
         for (int64_t k = 0; k < e.K; ++k)
           sum += e.A.at(static_cast<size_t>(k * e.lda + i)) * b(e, k, j);
         return sum;
       });
     },
     {{70, 90, 70}, {80, 90, 79}}},
    {"B read transposed",
     "B[col * ldb + k]",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) {
         float sum = 0;
         for (int64_t k = 0; k < e.K; ++k)
           sum += a(e, i, k) * e.B.at(static_cast<size_t>(j * e.ldb + k));
         return sum;
       });
     },
     {{70, 80, 80}, {75, 60, 61}}},
    {"A's tile transposed", "As[x][y] for As[y][x]",
     [](Evidence& e) {
       tile_by_tile(
           e,
           [&](Staged& s, int64_t r, int64_t q, int64_t k0) {
             stage_as_it_should_be(e, s, r, q, k0);
           },
           [](float& sum, const Staged& s, size_t y, size_t x) {
             for (size_t k = 0; k < T; ++k) sum += s.As[k][y] * s.Bs[k][x];
           });
     }},
    {"B's tile transposed", "Bs[x][y] for Bs[y][x]",
     [](Evidence& e) {
       tile_by_tile(
           e,
           [&](Staged& s, int64_t r, int64_t q, int64_t k0) {
             stage_as_it_should_be(e, s, r, q, k0);
           },
           [](float& sum, const Staged& s, size_t y, size_t x) {
             for (size_t k = 0; k < T; ++k) sum += s.As[y][k] * s.Bs[x][k];
           });
     }},
    {"wrong leading dimension of A",
     "A[row * N + k]",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) {
         float sum = 0;
         for (int64_t k = 0; k < e.K; ++k)
           sum += e.A.at(static_cast<size_t>(i * e.N + k)) * b(e, k, j);
         return sum;
       });
     },
     {{70, 64, 80}}},
    {"wrong leading dimension of B",
     "B[k * K + col]",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) {
         float sum = 0;
         for (int64_t k = 0; k < e.K; ++k)
           sum += a(e, i, k) * e.B.at(static_cast<size_t>(k * e.K + j));
         return sum;
       });
     },
     {{70, 90, 50}}},
    {"wrong leading dimension of C",
     "C[row * K + col]",
     [](Evidence& e) {
       for (int64_t i = 0; i < e.M; ++i) {
         for (int64_t j = 0; j < e.N; ++j) {
           e.C.at(static_cast<size_t>(i * e.K + j)) = right_sum(e, i, j);
         }
       }
     },
     {{70, 90, 50}}},
    {"A moved along where down is meant",
     "a[r] for a[r * lda]",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) {
         float sum = 0;
         const int64_t r = i % 128 / 32 * 32;
         for (int64_t k = 0; k < e.K; ++k) {
           sum += e.A.at(static_cast<size_t>((i - r) * e.lda + k + r)) * b(e, k, j);
         }
         return sum;
       });
     },
     {{256, 128, 64}},
     {128, 128, 8}},
    {"B moved along where down is meant",
     "b[r] for b[r * ldb]",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) {
         float sum = 0;
         for (int64_t k = 0; k < e.K; ++k) {
           const int64_t r = k % 8 / 2 * 2;
           sum += a(e, i, k) * e.B.at(static_cast<size_t>((k - r) * e.ldb + j + r));
         }
         return sum;
       });
     },
     {{256, 128, 64}},
     {128, 128, 8}},
    {"B moved along where down is meant",
     "b += BK",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) {
         float sum = 0;
         for (int64_t k = 0; k < e.K; ++k) {
           sum += a(e, i, k) * e.B.at(static_cast<size_t>(k % 8 * e.ldb + j + k / 8 * 8));
         }
         return sum;
       });
     },
     {{70, 90, 80}, {256, 128, 64}},
     {64, 64, 8}},
    {"A's tile transposed",
     "As[k][row] of an As[BM][BK]",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) {
         float sum = 0;
         for (int64_t k = 0; k < e.K; ++k) {
           const int64_t place = k % 8 * 8 + i % 64;
           sum += a(e, i - i % 64 + place / 8, k - k % 8 + place % 8) * b(e, k, j);
         }
         return sum;
       });
     },
     {{128, 90, 80}},
     {64, 64, 8}},
    {"both tiles read the wrong way", "As[k][x] * Bs[y][k]",
     [](Evidence& e) {
       tile_by_tile(
           e,
           [&](Staged& s, int64_t r, int64_t q, int64_t k0) {
             stage_as_it_should_be(e, s, r, q, k0);
           },
           [](float& sum, const Staged& s, size_t y, size_t x) {
             for (size_t k = 0; k < T; ++k) sum += s.As[k][x] * s.Bs[y][k];
           });
     }},
    {"both tiles read the wrong way", "As[k][y] * Bs[x][k]",
     [](Evidence& e) {
       tile_by_tile(
           e,
           [&](Staged& s, int64_t r, int64_t q, int64_t k0) {
             stage_as_it_should_be(e, s, r, q, k0);
           },
           [](float& sum, const Staged& s, size_t y, size_t x) {
             for (size_t k = 0; k < T; ++k) sum += s.As[k][y] * s.Bs[x][k];
           });
     }},
    {"shifted by one row", "C[(row + 1) * ldc + col]",
     [](Evidence& e) {
       for (int64_t i = 0; i + 1 < e.M; ++i) {
         for (int64_t j = 0; j < e.N; ++j) c(e, i + 1, j) = right_sum(e, i, j);
       }
     }},
    {"shifted by one row", "A[(row + 1) * lda + k]",
     [](Evidence& e) {
       for (int64_t i = 0; i + 1 < e.M; ++i) {
         for (int64_t j = 0; j < e.N; ++j) c(e, i, j) = right_sum(e, i + 1, j);
       }
     }},
    {"shifted by one column", "C[row * ldc + col + 1]",
     [](Evidence& e) {
       for (int64_t i = 0; i < e.M; ++i) {
         for (int64_t j = 0; j + 1 < e.N; ++j) c(e, i, j + 1) = right_sum(e, i, j);
       }
     }},
    {"shifted by one column", "B[k * ldb + col + 1]",
     [](Evidence& e) {
       for (int64_t i = 0; i < e.M; ++i) {
         for (int64_t j = 0; j + 1 < e.N; ++j) c(e, i, j) = right_sum(e, i, j + 1);
       }
     }},
    {"float4 components in the wrong order", "w, z, y, x along a row of C",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) {
         const int64_t from = j - j % 4 + 3 - j % 4;
         return from < e.N ? right_sum(e, i, from) : 0;
       });
     }},
    {"float4 components in the wrong order", "As[k + 1] and As[k + 2] both from y",
     [](Evidence& e) {
       constexpr std::array<int64_t, 4> FROM{0, 1, 1, 3};
       every_element(e, [&](int64_t i, int64_t j) {
         float sum = 0;
         for (int64_t k = 0; k < e.K; ++k) {
           sum += a(e, i, k - k % 4 + FROM[static_cast<size_t>(k % 4)]) * b(e, k, j);
         }
         return sum;
       });
     }},
    {"float4 components in the wrong order", "the rows of a transposed tile",
     [](Evidence& e) {
       constexpr std::array<int64_t, 4> FROM{0, 2, 1, 3};
       every_element(e, [&](int64_t i, int64_t j) {
         const int64_t from = i - i % 4 + FROM[static_cast<size_t>(i % 4)];
         return from < e.M ? right_sum(e, from, j) : 0;
       });
     }},
    {"swapped halves",
     "the upper eight columns of sixteen first",
     [](Evidence& e) {
       every_element(
           e, [&](int64_t i, int64_t j) { return (j ^ 8) < e.N ? right_sum(e, i, j ^ 8) : 0; });
     },
     {{70, 90, 80}, {33, 128, 40}}},
    {"swapped halves",
     "the lower rows of a tile last",
     [](Evidence& e) {
       for (int64_t i = 0; i < e.M; ++i) {
         for (int64_t j = 0; j < e.N; ++j) {
           if ((i ^ 16) < e.M) c(e, i ^ 16, j) = right_sum(e, i, j);
         }
       }
     },
     {{96, 90, 80}, {100, 65, 104}}},
    {"last row missing", "row < M - 1",
     [](Evidence& e) {
       for (int64_t i = 0; i + 1 < e.M; ++i) {
         for (int64_t j = 0; j < e.N; ++j) c(e, i, j) = right_sum(e, i, j);
       }
     }},
    {"last row of every tile missing", "threads of the tile's last row store nothing",
     [](Evidence& e) {
       for (int64_t i = 0; i < e.M; ++i) {
         for (int64_t j = 0; j < e.N && i % 32 != 31; ++j) c(e, i, j) = right_sum(e, i, j);
       }
     }},
    {"last column missing", "col < N - 1",
     [](Evidence& e) {
       for (int64_t i = 0; i < e.M; ++i) {
         for (int64_t j = 0; j + 1 < e.N; ++j) c(e, i, j) = right_sum(e, i, j);
       }
     }},
    {"last column of every tile missing", "threads of the tile's last column store nothing",
     [](Evidence& e) {
       for (int64_t i = 0; i < e.M; ++i) {
         for (int64_t j = 0; j < e.N; ++j) {
           if (j % 32 != 31) c(e, i, j) = right_sum(e, i, j);
         }
       }
     }},
    {"only the diagonal of every tile", "row and column from threadIdx.x % BN",
     [](Evidence& e) {
       const int64_t across = tiles(e.N, 32);
       every_thread(e, [&](int64_t block, int64_t t) {
         return Place{block / across * 32 + t % 32, block % across * 32 + t % 32};
       });
     }},
    {"only the diagonal of every tile", "the row is the whole threadIdx.x",
     [](Evidence& e) {
       const int64_t across = tiles(e.N, 32);
       every_thread(e, [&](int64_t block, int64_t t) {
         return Place{block / across * 32 + t, block % across * 32 + t % 32};
       });
     }},
    {"threadIdx.x taken whole", "the column is the whole threadIdx.x",
     [](Evidence& e) {
       const int64_t across = tiles(e.N, 32);
       every_thread(e, [&](int64_t block, int64_t t) {
         return Place{block / across * 32 + t / 32, block % across * 32 + t};
       });
     }},
    {"tile rows and tile columns changed places",
     "/ and % by tiles_m",
     [](Evidence& e) {
       const int64_t down = tiles(e.M, 32);
       every_thread(e, [&](int64_t block, int64_t t) {
         return Place{block / down * 32 + t / 32, block % down * 32 + t % 32};
       });
     },
     {{70, 180, 40}, {180, 70, 40}}},
    {"tile rows and tile columns changed places",
     "% for the row and / for the column",
     [](Evidence& e) {
       const int64_t across = tiles(e.N, 32);
       every_thread(e, [&](int64_t block, int64_t t) {
         return Place{block % across * 32 + t / 32, block / across * 32 + t % 32};
       });
     },
     {{70, 180, 40}, {180, 70, 40}}},
    {"only the first block's tile", "no blockIdx",
     [](Evidence& e) {
       every_thread(e, [&](int64_t, int64_t t) { return Place{t / 32, t % 32}; });
     }},
    {"only the tiles on the diagonal", "the row and the column begin with the whole blockIdx.x",
     [](Evidence& e) {
       every_thread(e, [&](int64_t block, int64_t t) {
         return Place{block * 32 + t / 32, block * 32 + t % 32};
       });
     }},
    {"only the first row of tiles", "no blockIdx in the row",
     [](Evidence& e) {
       every_thread(e, [&](int64_t block, int64_t t) {
         return Place{t / 32, block % tiles(e.N, 32) * 32 + t % 32};
       });
     }},
    {"only the first column of tiles", "no blockIdx in the column",
     [](Evidence& e) {
       every_thread(e, [&](int64_t block, int64_t t) {
         return Place{block / tiles(e.N, 32) * 32 + t / 32, t % 32};
       });
     }},
    {"tile number not multiplied", "no * BM",
     [](Evidence& e) {
       const int64_t across = tiles(e.N, 32);
       every_thread(e, [&](int64_t block, int64_t t) {
         return Place{block / across + t / 32, block % across * 32 + t % 32};
       });
     }},
    {"tile number not multiplied", "no * BM and no * BN",
     [](Evidence& e) {
       const int64_t across = tiles(e.N, 32);
       every_thread(e, [&](int64_t block, int64_t t) {
         return Place{block / across + t / 32, block % across + t % 32};
       });
     }},
    {"tile number not multiplied", "no * BN",
     [](Evidence& e) {
       const int64_t across = tiles(e.N, 32);
       every_thread(e, [&](int64_t block, int64_t t) {
         return Place{block / across * 32 + t / 32, block % across + t % 32};
       });
     }},
    {"only one element of each thread's tile",
     "sum[0] alone is stored",
     [](Evidence& e) {
       for (int64_t i = 0; i < e.M; i += 8) {
         for (int64_t j = 0; j < e.N; ++j) c(e, i, j) = right_sum(e, i, j);
       }
     },
     {{70, 90, 80}, {100, 130, 40}},
     {64, 64, 8}},
    {"only one element of each thread's tile",
     "sum[0][0] alone is stored",
     [](Evidence& e) {
       for (int64_t i = 0; i < e.M; i += 8) {
         for (int64_t j = 0; j < e.N; j += 8) c(e, i, j) = right_sum(e, i, j);
       }
     },
     {{150, 190, 20}},
     {128, 128, 8}},
    {"no test at the right edge", "stores beyond the last column",
     [](Evidence& e) {
       for (int64_t i = 0; i < e.M; ++i) {
         for (int64_t j = 0; j < tiles(e.N, 32) * 32; ++j) {
           const float sum = j < e.N ? right_sum(e, i, j) : 0;
           if (i * e.ldc + j < std::ssize(e.C)) c(e, 0, i * e.ldc + j) = sum;
         }
         // The next row's threads of the first tile may have stored before.
       }
       for (int64_t i = 0; i < e.M; ++i) {
         for (int64_t j = e.N; j < tiles(e.N, 32) * 32; ++j) {
           if (i * e.ldc + j < std::ssize(e.C)) c(e, 0, i * e.ldc + j) = 0;
         }
       }
     }},
    {"edge only", "M / BM and N / BN tiles",
     [](Evidence& e) {
       for (int64_t i = 0; i < e.M / 32 * 32; ++i) {
         for (int64_t j = 0; j < e.N / 32 * 32; ++j) c(e, i, j) = right_sum(e, i, j);
       }
     }},
    {"some rows of every tile",
     "TM forgotten: the threads' rows lie one further",
     [](Evidence& e) {
       for (int64_t i = 0; i < e.M; ++i) {
         for (int64_t j = 0; j < e.N && i % 64 < 15; ++j) c(e, i, j) = right_sum(e, i, j);
       }
     },
     {{70, 90, 80}, {128, 130, 40}},
     {64, 64, 8}},
    {"some columns of every tile",
     "TN forgotten",
     [](Evidence& e) {
       for (int64_t i = 0; i < e.M; ++i) {
         for (int64_t j = 0; j < e.N; ++j) {
           if (j % 64 < 15) c(e, i, j) = right_sum(e, i, j);
         }
       }
     },
     {{70, 90, 80}, {128, 130, 40}},
     {64, 64, 8}},
    {"the same elements in all of a tile",
     "no row and no col in the indices of As and Bs",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) {
         return right_sum(e, i - i % 64 + i % 8, j - j % 64 + j % 8);
       });
     },
     {{70, 90, 80}, {128, 130, 40}},
     {64, 64, 8}},
    {"the same elements in all of a tile",
     "no row in the index of As",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) { return right_sum(e, i - i % 64 + i % 8, j); });
     },
     {{70, 90, 80}, {128, 130, 40}},
     {64, 64, 8}},
    {"a thread's rows repeated", "4 * g forgotten in the index of As",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) { return right_sum(e, i - i % 8 + i % 4, j); });
     }},
    {"a thread's rows repeated", "no i in the index of As",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) { return right_sum(e, i - i % 8, j); });
     }},
    {"a thread's columns repeated", "no j in the index of Bs",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) { return right_sum(e, i, j - j % 4); });
     }},
    {"read what nobody wrote", "the last row of A is read behind its end",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) {
         return i + 1 < e.M ? right_sum(e, i, j) : std::bit_cast<float>(0x7FFFFFFFU);
       });
     }},
    {"elements changed places", "each row turned by three",
     [](Evidence& e) {
       every_element(e, [&](int64_t i, int64_t j) { return right_sum(e, i, (j + 3) % e.N); });
     }},
};

std::vector<std::string> names(const workshop::Diagnosis& diagnosis) {
  std::vector<std::string> names;
  for (const workshop::Cause& cause : diagnosis.causes) names.push_back(cause.name);
  return names;
}

TEST(Diagnosis, KnowsEachMistakeByName) {
  for (const Planted& planted : PLANTED) {
    for (const Shape& shape : planted.shapes) {
      Evidence e = before_the_call(shape, planted.tile, planted.alpha, planted.beta);
      planted.make(e);
      const workshop::Diagnosis found = workshop::diagnose(e, PLAIN);
      SCOPED_TRACE(testing::Message()
                   << planted.how << " at " << shape.M << "x" << shape.N << "x" << shape.K);
      EXPECT_THAT(names(found), Contains(planted.cause));
      EXPECT_GT(found.wrong, 0);
    }
  }
}

TEST(Diagnosis, IsTestedForEveryNameInTheList) {
  std::set<std::string> tested;
  for (const Planted& planted : PLANTED) tested.insert(planted.cause);
  for (const std::string& name : workshop::cause_names()) {
    EXPECT_TRUE(tested.contains(name)) << name;
  }
}

// Returns the first of several causes, the one that a learner is told.
std::string told_first(const Shape& shape, const BlockTile& tile, Mistake make) {
  Evidence e = before_the_call(shape, tile);
  make(e);
  const workshop::Diagnosis found = workshop::diagnose(e, PLAIN);
  return found.causes.empty() ? "nothing" : found.causes.front().name;
}

TEST(Diagnosis, TellsTheMostTellingFirst) {
  // With two tiles along K the first is also all but the last.
  EXPECT_EQ(told_first({70, 90, 64}, {32, 32, 32},
                       [](Evidence& e) {
                         every_element(
                             e, [&](int64_t i, int64_t j) { return sum_of(e, i, j, 0, 32); });
                       }),
            "first K tile only");
  // If each block begins one element further, nearly all elements beyond the first tile are missing.
  EXPECT_EQ(told_first({256, 128, 24}, {32, 32, 32},
                       [](Evidence& e) {
                         every_thread(e, [&](int64_t block, int64_t t) {
                           return Place{block % 8 + t / 32, block / 8 + t % 32};
                         });
                       }),
            "tile number not multiplied");
  // The unwritten part at the edge may be one row.
  EXPECT_EQ(told_first({65, 96, 40}, {32, 32, 32},
                       [](Evidence& e) {
                         for (int64_t i = 0; i < 64; ++i) {
                           for (int64_t j = 0; j < e.N; ++j) c(e, i, j) = right_sum(e, i, j);
                         }
                       }),
            "last row missing");
}

TEST(Diagnosis, SaysWhatWasSeenAndWhatUsuallyMakesIt) {
  Evidence e = before_the_call({70, 90, 80}, {32, 32, 32});
  every_element(e, [&](int64_t i, int64_t j) { return sum_of(e, i, j, 0, 64); });
  EXPECT_THAT(workshop::diagnose(e, PLAIN).causes.front().sentence,
              testing::StartsWith("The last 16 of 80 steps along K are missing: 80 is no multiple "
                                  "of 32. K / BK rounds down"));
}

// Leading dimensions are longer than the rows. The intended C is known all the same.
TEST(Diagnosis, KnowsLeadingDimensionsThatWereTakenForTheRowsLengths) {
  Evidence e = before_the_call({66, 36, 40}, {32, 32, 32}, 1, 0, 7);
  for (int64_t i = 0; i < e.M; ++i) {
    for (int64_t j = 0; j < e.N; ++j) {
      e.C.at(static_cast<size_t>(i * e.N + j)) = right_sum(e, i, j);
    }
  }
  EXPECT_THAT(names(workshop::diagnose(e, PLAIN)), Contains("wrong leading dimension of C"));
}

TEST(Diagnosis, SaysNothingOfARightResult) {
  for (const Shape& shape : {Shape{70, 90, 80}, {1, 1, 1}, {5, 3, 0}, {0, 4, 4}}) {
    Evidence e = before_the_call(shape, {32, 32, 32}, 2, 1);
    every_element(e, [&](int64_t i, int64_t j) { return right_sum(e, i, j); });
    const workshop::Diagnosis found = workshop::diagnose(e, PLAIN);
    EXPECT_EQ(found.wrong, 0);
    EXPECT_THAT(names(found), IsEmpty());
    EXPECT_EQ(found.map, "");
  }
}

// A wrong name is worse than none.
TEST(Diagnosis, NamesNoCauseThatItDoesNotKnow) {
  const Mistake unknown[] = {
      // an arithmetic that nobody intends
      [](Evidence& e) {
        every_element(e, [&](int64_t i, int64_t j) {
          float sum = 0;
          for (int64_t k = 0; k < e.K; ++k) sum += a(e, i, k) * b(e, k, j) + a(e, i, (k + 5) % e.K);
          return sum;
        });
      },
      // single elements, here and there
      [](Evidence& e) {
        every_element(e, [&](int64_t i, int64_t j) {
          return right_sum(e, i, j) + static_cast<float>((i * 31 + j * 17) % 23 == 0 ? 12345 : 0);
        });
      },
      // the first K tile only, but right elsewhere, which contradicts it
      [](Evidence& e) {
        every_element(e, [&](int64_t i, int64_t j) {
          return (i * 7 + j) % 5 == 2 ? sum_of(e, i, j, 0, 32) : right_sum(e, i, j);
        });
      },
      // one element
      [](Evidence& e) {
        every_element(e, [&](int64_t i, int64_t j) {
          return right_sum(e, i, j) + static_cast<float>(i == 3 && j == 4 ? 54321 : 0);
        });
      },
      // the first K tile only, in half of the matrix
      [](Evidence& e) {
        every_element(e, [&](int64_t i, int64_t j) {
          return i % 2 == 0 ? sum_of(e, i, j, 0, 32) : right_sum(e, i, j) + 1;
        });
      },
  };
  for (const BlockTile& tile : {BlockTile{32, 32, 32}, BlockTile{64, 64, 8}, BlockTile{}}) {
    for (const Mistake& make : unknown) {
      Evidence e = before_the_call({70, 90, 80}, tile);
      make(e);
      const workshop::Diagnosis found = workshop::diagnose(e, PLAIN);
      EXPECT_THAT(names(found), IsEmpty()) << &make - unknown;
    }
  }
}

// C consists of a few values that all belong somewhere in it. By chance each also stands where it is found.
TEST(Diagnosis, NamesNoPlaceForValuesThatAreThereTooOften) {
  const Mistake repeated[] = {
      // No thread has a place of its own in the tile.
      [](Evidence& e) {
        every_element(e, [&](int64_t i, int64_t j) {
          return right_sum(e, i - i % 128 + i % 8, j - j % 128 + j % 8);
        });
      },
      // All of C is one row of it.
      [](Evidence& e) { every_element(e, [&](int64_t, int64_t j) { return right_sum(e, 5, j); }); },
  };
  for (const Mistake& make : repeated) {
    Evidence e = before_the_call({256, 128, 64}, {128, 128, 8});
    make(e);
    EXPECT_THAT(names(workshop::diagnose(e, PLAIN)),
                testing::Not(Contains("elements changed places")))
        << &make - repeated;
  }
}

// The example names an element whose value belongs to one place only.
TEST(Diagnosis, NamesAPlaceThatNoOtherElementHas) {
  Evidence e = before_the_call({64, 64, 80}, {64, 64, 8});
  every_element(e, [&](int64_t i, int64_t j) {
    return right_sum(e, i - i % 8 + j % 8, j - j % 8 + i % 8);  // sum[j][i] for sum[i][j]
  });
  const workshop::Diagnosis found = workshop::diagnose(e, PLAIN);
  ASSERT_THAT(names(found), Contains("elements changed places"));
  const auto cause =
      std::ranges::find(found.causes, "elements changed places", &workshop::Cause::name);
  int i = 0, j = 0, row = 0, col = 0;
  ASSERT_EQ(std::sscanf(cause->sentence.c_str(), "The value at C[%d][%d] belongs to C[%d][%d]", &i,
                        &j, &row, &col),
            4);
  EXPECT_EQ(row, i - i % 8 + j % 8);
  EXPECT_EQ(col, j - j % 8 + i % 8);
}

// A NaN has no origin: it may be the one in C before the call, or any other.
TEST(Diagnosis, DoesNotTakeANaNForTheOldC) {
  Evidence e = before_the_call({70, 90, 80}, {32, 32, 32});
  every_element(e, [](int64_t, int64_t) { return std::bit_cast<float>(0x7FFFFFFFU); });
  EXPECT_THAT(names(workshop::diagnose(e, PLAIN)), ElementsAre("read what nobody wrote"));
}

// A thread at the wrong place computes that place's element rightly, so the wrong elements were never written.
TEST(Diagnosis, TakesNoThreadsNumberForWrongWhereAllIsWritten) {
  Evidence e = before_the_call({256, 128, 64}, {128, 128, 8});
  every_element(e, [&](int64_t i, int64_t j) { return right_sum(e, i - i % 128 + i % 8, j); });
  EXPECT_THAT(names(workshop::diagnose(e, PLAIN)),
              testing::Not(Contains("threadIdx.x taken whole")));
}

// A sum that is a NaN comes from an element that must not be read: no row is missing, and no tile.
TEST(Diagnosis, CallsNothingMissingWhereASumIsNotANumber) {
  Evidence last_row = before_the_call({65, 90, 80}, {64, 64, 8});
  every_element(last_row, [&](int64_t i, int64_t j) {
    return i < 64 ? right_sum(last_row, i, j) : std::bit_cast<float>(0x7FFFFFFFU);
  });
  EXPECT_THAT(names(workshop::diagnose(last_row, PLAIN)),
              testing::Not(testing::Contains(
                  testing::AnyOf("last row missing", "only the first row of tiles"))));
  EXPECT_THAT(names(workshop::diagnose(last_row, PLAIN)), Contains("read what nobody wrote"));
}

// One wrong row is no store beyond the end of each row.
TEST(Diagnosis, TakesTheLastRowForNoStoresBeyondTheRightEdge) {
  Evidence e = before_the_call({129, 131, 67}, {128, 128, 8});
  every_element(e, [&](int64_t i, int64_t j) {
    return i < 128 ? right_sum(e, i, j) : std::bit_cast<float>(0x7FFFFFFFU);
  });
  EXPECT_THAT(names(workshop::diagnose(e, PLAIN)),
              testing::Not(Contains("no test at the right edge")));
}

// A thread beyond the last column reads NaN too, but its stores reach only the first columns.
TEST(Diagnosis, TakesNaNInAllOfCForNoStoresBeyondTheRightEdge) {
  Evidence e = before_the_call({129, 131, 67}, {128, 128, 16});
  every_element(e, [](int64_t, int64_t) { return std::bit_cast<float>(0x7FFFFFFFU); });
  EXPECT_THAT(names(workshop::diagnose(e, PLAIN)), ElementsAre("read what nobody wrote"));
}

// C is narrower than a tile, so no whole tile could be right.
TEST(Diagnosis, DoesNotSpeakOfWholeTilesWhereThereAreNone) {
  Evidence e = before_the_call({66, 36, 40}, {64, 64, 8});
  every_element(e, [&](int64_t i, int64_t j) { return right_sum(e, i, j) + 1; });
  EXPECT_THAT(names(workshop::diagnose(e, PLAIN)), testing::Not(Contains("edge only")));
}

TEST(Diagnosis, RefusesMatricesThatAreTooSmall) {
  Evidence e = before_the_call({8, 8, 8}, {});
  e.A.pop_back();
  EXPECT_THROW(workshop::diagnose(e, PLAIN), std::invalid_argument);
}

// --- the map ------------------------------------------------------------------------------------------------------

std::string map_of(const Shape& shape, const BlockTile& tile, const text::Page& page,
                   const std::function<bool(int64_t, int64_t)>& is_wrong) {
  Evidence e = before_the_call(shape, tile);
  every_element(e, [&](int64_t i, int64_t j) {
    return right_sum(e, i, j) + static_cast<float>(is_wrong(i, j) ? 100000 : 0);
  });
  return workshop::diagnose(e, page).map;
}

TEST(WrongMap, IsOfTheBlocksTileWhereAllTilesAreAlike) {
  EXPECT_EQ(map_of({64, 96, 8}, {32, 32, 8}, PLAIN,
                   [](int64_t i, int64_t j) { return i % 32 >= 28 && j % 32 < 16; }),
            "column 0              30\n"
            "row  0 ................   A second run, with whole numbers in A, B and C.\n"
            "     2 ................   Each character stands for 2 x 2 elements; the block's\n"
            "     4 ................   tile is 32 x 32, and all tiles are alike.\n"
            "     6 ................   . right  # wrong\n"
            "     8 ................\n"
            "    10 ................\n"
            "    12 ................\n"
            "    14 ................\n"
            "    16 ................\n"
            "    18 ................\n"
            "    20 ................\n"
            "    22 ................\n"
            "    24 ................\n"
            "    26 ................\n"
            "    28 ########........\n"
            "    30 ########........\n");
}

TEST(WrongMap, IsOfTheWholeMatrixOtherwise) {
  EXPECT_EQ(map_of({40, 9, 8}, {32, 32, 8}, PLAIN, [](int64_t i, int64_t) { return i >= 38; }),
            "column 0       8\n"
            "row  0 .........   A second run, with whole numbers in A, B and C.\n"
            "     3 .........   Each character stands for 3 x 1 elements; C is 40 x 9.\n"
            "     6 .........   . right  # wrong  + some of them wrong\n"
            "     9 .........\n"
            "    12 .........\n"
            "    15 .........\n"
            "    18 .........\n"
            "    21 .........\n"
            "    24 .........\n"
            "    27 .........\n"
            "    30 .........\n"
            "    33 .........\n"
            "    36 +++++++++\n"
            "    39 #########\n");
}

TEST(WrongMap, IsNoneWhereNothingIsWrongOrEverything) {
  EXPECT_EQ(map_of({8, 8, 8}, {}, PLAIN, [](int64_t, int64_t) { return true; }), "");
  EXPECT_EQ(map_of({8, 8, 8}, {}, PLAIN, [](int64_t, int64_t) { return false; }), "");
}

TEST(WrongMap, HasWordsBelowItWhereThereIsLittleOfIt) {
  EXPECT_EQ(map_of({2, 3, 8}, {}, {.unicode = true, .width = 40},
                   [](int64_t i, int64_t j) { return i == 1 && j == 2; }),
            "column 0 2\n"
            "row  0 ···   A second run, with whole\n"
            "     1 ··█   numbers in A, B and C.\n"
            "             Each character stands for\n"
            "             one element; C is 2 x 3.\n"
            "             · right  █ wrong\n");
}

// --- the tile that a source states --------------------------------------------------------------------------------

TEST(TileOfSource, FindsTheConstants) {
  EXPECT_EQ(workshop::tile_of_source("constexpr int BM = 64, BN = 128, BK = 8;  // the tile\n"),
            (BlockTile{64, 128, 8}));
  EXPECT_EQ(workshop::tile_of_source("static_assert(BM == 32);\nconstexpr int BM=32;\n"
                                     "constexpr int SUBM = 4; constexpr int BN = TN * 8;"),
            (BlockTile{32, 0, 0}));
  EXPECT_EQ(workshop::tile_of_source(""), BlockTile{});
  EXPECT_EQ(workshop::tile_of_source("BM ="), BlockTile{});
  EXPECT_EQ(workshop::tile_of_source("BM = 8"), BlockTile{});
}

}  // namespace
