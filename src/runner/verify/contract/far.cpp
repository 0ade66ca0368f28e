// Indices, dimensions and grids beyond 32 bits.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "runner/verify/contract/trial.hpp"
#include "runner/verify/product.hpp"

namespace runner::contract_checks {
namespace {

using ladder::Rung;
using ladder::Sgemm;
using results::Problem;

// --- leading dimensions -------------------------------------------------------------------------------------

// A matrix whose rows may lie so far apart that most of its memory is never touched. Its elements are small integers,
// whose product FP32 forms exactly.
class FarMatrix {
 public:
  FarMatrix(int64_t rows, int64_t cols, int64_t ld, int factor)
      : cols_(cols), ld_(ld), factor_(factor), buffer_((rows - 1) * ld + cols) {
    std::vector<float> row(static_cast<size_t>(cols));
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < cols; ++j) row[static_cast<size_t>(j)] = static_cast<float>(at(i, j));
      check(cudaMemcpy(data() + i * ld, row.data(), row.size() * sizeof(float),
                       cudaMemcpyHostToDevice));
    }
  }

  int at(int64_t row, int64_t col) const {
    return static_cast<int>((row * factor_ + col * 5 + row * col) % 13) - 6;
  }
  std::vector<float> row(int64_t i) const {
    std::vector<float> values(static_cast<size_t>(cols_));
    check(cudaMemcpy(values.data(), data() + i * ld_, values.size() * sizeof(float),
                     cudaMemcpyDeviceToHost));
    return values;
  }
  float* data() const { return buffer_.data(); }

 private:
  int64_t cols_, ld_;
  int factor_;
  DeviceBuffer<float> buffer_;
};

std::string far_rows(const Rung& rung, const Problem& p) {
  // A record of the accesses to each byte would be as large as the matrices, which are mostly untouched.
  const WithoutHazards so_large;
  const FarMatrix a(p.M, p.K, p.lda, 3), b(p.K, p.N, p.ldb, 7), c(p.M, p.N, p.ldc, 11);
  const Sgemm sgemm{.M = p.M,
                    .N = p.N,
                    .K = p.K,
                    .alpha = p.alpha,
                    .A = a.data(),
                    .lda = p.lda,
                    .B = b.data(),
                    .ldb = p.ldb,
                    .beta = p.beta,
                    .C = c.data(),
                    .ldc = p.ldc};
  if (const cudaError_t error = launch_and_wait(rung, sgemm); error != cudaSuccess) {
    return fmt::format("{} at {}", describe(error), describe(p));
  }
  for (int64_t i = 0; i < p.M; ++i) {
    const std::vector<float> got = c.row(i);
    for (int64_t j = 0; j < p.N; ++j) {
      int sum = 0;
      for (int64_t k = 0; k < p.K; ++k) sum += a.at(i, k) * b.at(k, j);
      const float want =
          p.alpha * static_cast<float>(sum) + p.beta * static_cast<float>(c.at(i, j));
      if (got[static_cast<size_t>(j)] == want) continue;
      return fmt::format("C[{}][{}] is {}, should be {} at {}", i, j, got[static_cast<size_t>(j)],
                         want, describe(p));
    }
  }
  return "";
}

bool has_memory_for_far_rows() {
  machine::offer_addresses(CONTRACT_MEMORY_BYTES);
  size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  return static_cast<int64_t>(free) >= CONTRACT_MEMORY_BYTES;
}

// Numbers of rows and leading dimensions. The index, row times leading dimension, leaves 31 bits in the middle of the
// matrix and 32 bits at its last row. The step from row to row is 1, 2, 16, 32 or 64. With the first two leading
// dimensions no vector access is aligned; with the others each is.
struct Far {
  int64_t rows, ld;
};
constexpr Far FAR[] = {{3, (int64_t{1} << 31) + 1},
                       {5, (int64_t{1} << 30) + 1},
                       {17, (int64_t{1} << 28) + 8},
                       {65, (int64_t{1} << 26) + 8},
                       {129, (int64_t{1} << 25) + 8}};

// Checks a matrix with M rows, at two sizes: tiles, and few columns.
std::string far_rows_of_m(const Rung& rung, int64_t Problem::* ld) {
  if (!has_memory_for_far_rows()) return "";
  for (const Far& far : FAR) {
    for (const Shape& s : {Shape{far.rows, 40, 36}, {far.rows, 3, 36}}) {
      Problem p = dense(s, {2, 1});
      p.ldb = p.ldc = 40;
      p.*ld = far.ld;
      if (auto found = far_rows(rung, p); !found.empty()) return found;
    }
  }
  return "";
}

std::string far_rows_of_a(const Rung& rung) { return far_rows_of_m(rung, &Problem::lda); }
std::string far_rows_of_c(const Rung& rung) { return far_rows_of_m(rung, &Problem::ldc); }

// Checks B, which has K rows, at two sizes: tiles, and few rows of C.
std::string far_rows_of_b(const Rung& rung) {
  if (!has_memory_for_far_rows()) return "";
  for (const Far& far : FAR) {
    for (const Shape& s : {Shape{33, 40, far.rows}, {3, 40, far.rows}}) {
      Problem p = dense(s, {2, 1});
      p.lda = (p.K + 7) / 8 * 8;
      p.ldb = far.ld;
      if (auto found = far_rows(rung, p); !found.empty()) return found;
    }
  }
  return "";
}

// --- dimensions ---------------------------------------------------------------------------------------------

bool has_memory_for(int64_t floats) {
  const int64_t bytes = floats * static_cast<int64_t>(sizeof(float)) + (int64_t{1} << 30);
  machine::offer_addresses(bytes);
  size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  return static_cast<int64_t>(free) >= bytes;
}

// While it lives, only this excerpt of each launch runs.
class OnlyRuns {
 public:
  explicit OnlyRuns(const machine::Excerpt& excerpt) { machine::run_only(excerpt); }
  ~OnlyRuns() { machine::run_only(std::nullopt); }
  OnlyRuns(const OnlyRuns&) = delete;
  OnlyRuns& operator=(const OnlyRuns&) = delete;
};

// C = A * B with K = 1. C has `length` rows and `other` columns, or `length` columns and `other` rows. Only both ends
// of the long side are filled and checked: WINDOW rows or columns each.
class LongProduct {
 public:
  static constexpr int64_t WINDOW = 4096;

  LongProduct(bool of_rows, int64_t length, int64_t other)
      : of_rows_(of_rows),
        length_(length),
        other_(other),
        long_factor_(length),
        short_factor_(other),
        c_(length * other) {
    for (const int64_t first : {int64_t{0}, length - WINDOW})
      fill(long_factor_.data() + first, WINDOW, first, LONG_PERIOD);
    fill(short_factor_.data(), other, 0, SHORT_PERIOD);
  }

  static int64_t floats(int64_t length, int64_t other) { return length + other + length * other; }

  Sgemm sgemm() const { return with_length(length_); }
  // Returns the product with another length, to look at its grid: its matrices do not exist.
  Sgemm with_length(int64_t length) const {
    const float* const A = (of_rows_ ? long_factor_ : short_factor_).data();
    const float* const B = (of_rows_ ? short_factor_ : long_factor_).data();
    const int64_t M = of_rows_ ? length : other_, N = of_rows_ ? other_ : length;
    return {.M = M,
            .N = N,
            .K = 1,
            .alpha = 1,
            .A = A,
            .lda = 1,
            .B = B,
            .ldb = N,
            .beta = 0,
            .C = c_.data(),
            .ldc = N};
  }
  std::string size() const {
    const Sgemm s = sgemm();
    return fmt::format("{}x{}x1", s.M, s.N);
  }

  void poison() {
    for_each_run([](float* first, int64_t floats, int64_t, int64_t) {
      check(cudaMemset(first, POISON_BITS & 0xFF, static_cast<size_t>(floats) * sizeof(float)));
    });
  }

  // Returns, for each element of the windows, true if it was written since poison(). The order is this class's own.
  // `wrong` gets a complaint about the first wrong element.
  std::vector<bool> written(std::string& wrong) const {
    std::vector<bool> is_written;
    for_each_run([&](float* first, int64_t floats, int64_t position, int64_t line) {
      std::vector<float> got(static_cast<size_t>(floats));
      check(cudaMemcpy(got.data(), first, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
      for (int64_t i = 0; i < floats; ++i) {
        const int64_t along = of_rows_ ? position + i / other_ : position + i;
        const int64_t across = of_rows_ ? i % other_ : line;
        const float value = got[static_cast<size_t>(i)];
        const float want = element(along, LONG_PERIOD) * element(across, SHORT_PERIOD);
        is_written.push_back(!is_poison(value));
        if (is_poison(value) || value == want || !wrong.empty()) continue;
        wrong = fmt::format("C[{}][{}] is {}, should be {} at {}", of_rows_ ? along : across,
                            of_rows_ ? across : along, value, want, size());
      }
    });
    return is_written;
  }

 private:
  static constexpr int64_t LONG_PERIOD = 7, SHORT_PERIOD = 3;  // no element is 0

  static float element(int64_t at, int64_t period) { return static_cast<float>(1 + at % period); }
  static void fill(float* to, int64_t floats, int64_t first, int64_t period) {
    std::vector<float> values(static_cast<size_t>(floats));
    for (int64_t i = 0; i < floats; ++i)
      values[static_cast<size_t>(i)] = element(first + i, period);
    check(cudaMemcpy(to, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
  }

  // Calls visit(first, floats, position on the long side, line on the short side) for each run of memory in the windows
  // of C.
  template <typename Visit>
  void for_each_run(const Visit& visit) const {
    for (const int64_t position : {int64_t{0}, length_ - WINDOW}) {
      if (of_rows_) {
        visit(c_.data() + position * other_, WINDOW * other_, position, int64_t{0});
        continue;
      }
      for (int64_t line = 0; line < other_; ++line)
        visit(c_.data() + line * length_ + position, WINDOW, position, line);
    }
  }

  bool of_rows_;
  int64_t length_, other_;
  DeviceBuffer<float> long_factor_, short_factor_, c_;
};

using Grid = std::array<int64_t, 3>;

// Returns the grid that the kernel takes for a product, or nothing if the launch fails. No block is run, so the matrices
// need not exist.
std::optional<Grid> grid_for(const Rung& rung, const Sgemm& product) {
  const OnlyRuns no_block({.blocks = machine::Excerpt::Blocks::first, .count = 0});
  results::Observation seen;
  if (run_product(rung, product, seen) != cudaSuccess || seen.kernels.empty()) return std::nullopt;
  const auto& grid = seen.kernels.front().grid;
  return Grid{grid[0], grid[1], grid[2]};
}
int64_t blocks_in(const Grid& grid) { return grid[0] * grid[1] * grid[2]; }

// Returns the most blocks that the kernel takes, if the grid for `length` is also the grid for longer sides: its blocks
// then have to take several tiles. Returns nothing for a number of blocks that was cut to fewer bits, because it
// differs from length to length.
std::optional<int64_t> most_blocks(const Rung& rung, int64_t length,
                                   const std::function<Sgemm(int64_t length)>& product) {
  const auto grid = grid_for(rung, product(length));
  if (!grid) return std::nullopt;
  for (const int64_t longer : {length / 7 * 9 + 5, length / 7 * 12 + 3}) {
    if (grid_for(rung, product(longer)) != grid) return std::nullopt;
  }
  return blocks_in(*grid);
}

// The growth of a kernel's grid with one dimension of C.
struct Growth {
  int64_t of_a_block = 0;      // rows (or columns) of C for each block; 0 if the grid does not grow
  size_t along = 0;            // the dimension of the grid that grows: x, y or z
  int64_t at = 0, extent = 0;  // at this length of C the grid has this extent along it

  // Returns the reason why the grid for `length` cannot be launched, or nothing if it should be possible.
  std::string refusal(int64_t length) const {
    constexpr std::array<int64_t, 3> MOST = {std::numeric_limits<int32_t>::max(), 65535, 65535};
    const int64_t needed = ladder::ceil_div(length * extent, at);
    if (needed <= MOST[along]) return "";
    return fmt::format("more blocks than gridDim.{} may have: {} > {}", "xyz"[along], needed,
                       MOST[along]);
  }
};

// Returns the growth; nothing if the grid for such a product cannot be launched. If the grid does not grow, its blocks
// take one tile after another, and an excerpt of it would not end.
std::optional<Growth> growth_at(const Rung& rung, bool of_rows, int64_t length, int64_t other) {
  if (!has_memory_for(2 * LongProduct::floats(length, other))) return std::nullopt;
  const LongProduct whole(of_rows, length, other), half(of_rows, length / 2, other);
  const auto grid = grid_for(rung, whole.sgemm()), smaller = grid_for(rung, half.sgemm());
  if (!grid || !smaller) return std::nullopt;
  if (10 * blocks_in(*grid) < 18 * blocks_in(*smaller)) return Growth{};
  // The smaller grid tells: the larger one may have reached the kernel's most blocks.
  Growth growth{.of_a_block = std::max<int64_t>(1, length / 2 / blocks_in(*smaller))};
  while (growth.along < 2 && (*grid)[growth.along] == (*smaller)[growth.along]) ++growth.along;
  growth.at = length / 2;
  growth.extent = (*smaller)[growth.along];
  return growth;
}

// Runs the first and the last blocks of a grid and checks both ends of C. The first and the last blocks must each write
// something there, and write it right. No element may be written by both. `refusal` is the known reason if the grid is
// too large.
std::string ends_of_a_long_product(const Rung& rung, LongProduct& product, int64_t blocks,
                                   const std::string& refusal) {
  using Blocks = machine::Excerpt::Blocks;
  std::vector<bool> before;
  for (const Blocks which : {Blocks::first, Blocks::last}) {
    const OnlyRuns excerpt({.blocks = which, .count = blocks});
    product.poison();
    if (const cudaError_t error = launch_and_wait(rung, product.sgemm()); error != cudaSuccess) {
      const bool is_too_large = error == cudaErrorInvalidConfiguration && !refusal.empty();
      return fmt::format("{} at {}", is_too_large ? refusal : describe(error), product.size());
    }
    std::string wrong;
    const std::vector<bool> written = product.written(wrong);
    if (!wrong.empty()) return wrong;
    const char* const end = which == Blocks::first ? "first" : "last";
    if (std::ranges::none_of(written, std::identity()))
      return fmt::format("the {} {} blocks of the grid write nothing of either end of C, at {}",
                         end, blocks, product.size());
    for (size_t i = 0; i < before.size(); ++i) {
      if (before[i] && written[i])
        return fmt::format(
            "blocks at the beginning and at the end of the grid write the same "
            "elements of C, at {}",
            product.size());
    }
    before = written;
  }
  return "";
}

std::string all_of_a_long_product(const Rung& rung, LongProduct& product) {
  product.poison();
  if (const cudaError_t error = launch_and_wait(rung, product.sgemm()); error != cudaSuccess)
    return fmt::format("{} at {}", describe(error), product.size());
  std::string wrong;
  const std::vector<bool> written = product.written(wrong);
  if (!wrong.empty() || std::ranges::all_of(written, std::identity())) return wrong;
  return fmt::format("not every element at the ends of C was written, at {}", product.size());
}

constexpr int64_t BITS_16 = int64_t{1} << 16, BITS_31 = int64_t{1} << 31,
                  BITS_32 = int64_t{1} << 32;

// Checks a grid with more blocks than 16 bits hold, the limit of y and z, and sides beyond 31 and 32 bits. A number
// that is cut off leads back to the beginning of C.
std::string long_sides(const Rung& rung, bool of_rows) {
  if (works_on_the_host(rung)) return "";
  const WithoutHazards so_large;
  constexpr int64_t HALF = LongProduct::WINDOW / 2;
  if (!machine::RUNS_EXCERPTS) {
    for (const auto& [length, other] :
         {std::pair{BITS_16 * 128 + HALF, int64_t{40}}, {BITS_31 + HALF, int64_t{1}}}) {
      if (!has_memory_for(LongProduct::floats(length, other))) continue;
      LongProduct product(of_rows, length, other);
      if (auto found = all_of_a_long_product(rung, product); !found.empty()) return found;
    }
    return "";
  }
  for (const int64_t other : {1, 40}) {
    // A grid with the tiles in y is too small for the larger of the two lengths.
    auto growth = growth_at(rung, of_rows, int64_t{1} << 24, other);
    if (!growth) growth = growth_at(rung, of_rows, int64_t{1} << 18, other);
    if (!growth || growth->of_a_block == 0) continue;
    const int64_t of_a_block = growth->of_a_block;
    const int64_t blocks = ladder::ceil_div(LongProduct::WINDOW, of_a_block);
    const LongProduct window(of_rows, 2 * LongProduct::WINDOW, other);
    for (int64_t length : {BITS_16 * of_a_block + HALF, BITS_31 + HALF, BITS_32 + HALF}) {
      const auto most =
          most_blocks(rung, length, [&](int64_t another) { return window.with_length(another); });
      // Then the last blocks end at the end of C.
      if (most) length = ladder::ceil_div(length, *most * of_a_block) * *most * of_a_block;
      if (!has_memory_for(LongProduct::floats(length, other))) continue;
      LongProduct product(of_rows, length, other);
      if (auto found = ends_of_a_long_product(rung, product, blocks, growth->refusal(length));
          !found.empty())
        return found;
    }
  }
  return "";
}

std::string many_rows(const Rung& rung) { return long_sides(rung, true); }
std::string many_columns(const Rung& rung) { return long_sides(rung, false); }

// Checks a K beyond 32 bits. Summing all of it would take too long, but a kernel that ends at once has left out nearly
// all of it.
std::string a_long_k(const Rung& rung) {
  if (!machine::RUNS_EXCERPTS || works_on_the_host(rung)) return "";
  const WithoutHazards so_large;
  constexpr int64_t K = BITS_32 + 8, WINDOW = 64, TURNS = 1024;
  for (const auto& [M, N] : {std::pair<int64_t, int64_t>{1, 1}, {9, 9}, {9, 1}}) {
    if (!has_memory_for((M + N) * K)) continue;
    const DeviceBuffer<float> a(M * K), b(K * N), c(M * N);
    // Ones at both ends of K; between them, memory that is zero without being filled.
    const std::vector<float> ones(static_cast<size_t>(WINDOW * N), 1.0F);
    for (const int64_t first : {int64_t{0}, K - WINDOW}) {
      for (int64_t i = 0; i < M; ++i)
        check(cudaMemcpy(a.data() + i * K + first, ones.data(), WINDOW * sizeof(float),
                         cudaMemcpyHostToDevice));
      check(cudaMemcpy(b.data() + first * N, ones.data(), ones.size() * sizeof(float),
                       cudaMemcpyHostToDevice));
    }
    const Sgemm sgemm{.M = M,
                      .N = N,
                      .K = K,
                      .alpha = 1,
                      .A = a.data(),
                      .lda = K,
                      .B = b.data(),
                      .ldb = N,
                      .beta = 0,
                      .C = c.data(),
                      .ldc = N};
    cudaError_t error = cudaSuccess;
    {
      const OnlyRuns a_little({.turns = TURNS});
      error = launch_and_wait(rung, sgemm);
    }
    if (machine::take_cut_short()) continue;
    if (error != cudaSuccess) return fmt::format("{} at {}x{}x{}", describe(error), M, N, K);
    float got = 0;
    check(cudaMemcpy(&got, c.data(), sizeof got, cudaMemcpyDeviceToHost));
    constexpr float WANT = 2 * WINDOW;
    if (!(got == WANT))
      return fmt::format("C[0][0] is {}, should be {} at {}x{}x{}: most of K was left out", got,
                         WANT, M, N, K);
  }
  return "";
}

// --- grids ----------------------------------------------------------------------------------------------------

// Returns the blocks that the kernel takes for `column` with this many rows, or nothing if blocks are not counted.
std::optional<double> blocks_for(const Rung& rung, Sgemm column, int64_t rows) {
  column.M = rows;
  const auto before = machine::blocks_run();
  check(launch_and_wait(rung, column));
  const auto after = machine::blocks_run();
  if (!before || !after) return std::nullopt;
  return static_cast<double>(*after - *before);
}

// Checks a kernel whose grid grows up to `most` blocks: the last blocks reach the end of a column with twice as many
// tiles.
std::string several_tiles_each(const Rung& rung, int64_t most, int64_t of_a_block) {
  const int64_t length = 2 * most * of_a_block;
  if (length < 2 * LongProduct::WINDOW || !has_memory_for(LongProduct::floats(length, 1)))
    return "";
  LongProduct product(true, length, 1);
  const int64_t blocks = ladder::ceil_div(LongProduct::WINDOW, of_a_block);
  return ends_of_a_long_product(rung, product, blocks, "");
}

// Checks a column of C so tall that its blocks do not fit in a grid, nor their number in 32 bits. The low 32 bits of
// that number are 1 for any tile whose height is a power of two up to 128. A kernel may refuse the column, or take
// fewer blocks, each for several tiles. Not checked if the grid does not grow with C at all, because such a kernel
// would write a matrix that does not exist.
std::string too_large_a_grid(const Rung& rung) {
  const WithoutHazards it_is_meant;
  constexpr int64_t SMALL = 1 << 12, LARGE = 1 << 17, TOO_LARGE = (int64_t{1} << 39) + 1;
  const DeviceBuffer<float> c(LARGE);
  Sgemm column{.M = 0,
               .N = 1,
               .K = 0,
               .alpha = 1,
               .A = nullptr,
               .lda = 1,
               .B = nullptr,
               .ldb = 1,
               .beta = 0,
               .C = c.data(),
               .ldc = 1};
  const auto small = blocks_for(rung, column, SMALL), large = blocks_for(rung, column, LARGE);
  if (!small || !large) return "";
  const bool grows = *small > 0 && *large > 0.9 * LARGE / SMALL * *small;
  if (!grows) return "";
  const auto of_rows = [&](int64_t rows) {
    Sgemm taller = column;
    taller.M = rows;
    return taller;
  };
  if (const auto most = most_blocks(rung, TOO_LARGE, of_rows); most && machine::RUNS_EXCERPTS)
    return several_tiles_each(rung, *most,
                              std::max<int64_t>(1, static_cast<int64_t>(LARGE / *large)));

  column.M = TOO_LARGE;
  const auto before = machine::blocks_run();
  const cudaError_t error = ladder::launch(rung, column, nullptr);
  const cudaError_t later = cudaDeviceSynchronize();
  const bool ran = machine::blocks_run() != before;
  const cudaError_t last = cudaGetLastError();
  const std::string where = fmt::format("{}x1x0, ldc 1", TOO_LARGE);
  if (ran || later != cudaSuccess) {
    return fmt::format(
        "a part of the grid ran, though all of it is more than a launch may have, at {}", where);
  }
  if (error == cudaSuccess) {
    return fmt::format("the launch failed ({}), but no error came back, at {}", describe(last),
                       where);
  }
  return "";
}

constexpr ContractCheck CHECKS[] = {
    {"64-bit indices into A", far_rows_of_a,
     "an index into A overflows 32 bits: row * lda is larger than an int. Make the row an int64_t "
     "before the product"},
    {"64-bit indices into B", far_rows_of_b,
     "an index into B overflows 32 bits: k * ldb is larger than an int. Make k an int64_t before "
     "the product"},
    {"64-bit indices into C", far_rows_of_c,
     "an index into C overflows 32 bits: row * ldc is larger than an int. Make the row an int64_t "
     "before the product"},
    {"more rows than 32 bits count", many_rows, "a row's number overflows 32 bits"},
    {"more columns than 32 bits count", many_columns, "a column's number overflows 32 bits"},
    {"a K beyond 32 bits", a_long_k, "a k overflows 32 bits"},
    {"too large a grid is an error", too_large_a_grid},
};

}  // namespace

std::span<const ContractCheck> of_far_places() { return CHECKS; }

}  // namespace runner::contract_checks
