// Checks of every size, leading dimension and alignment. A kernel must touch no memory beside the matrices.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <vector>

#include "results/values/metrics.hpp"
#include "runner/verify/contract/trial.hpp"
#include "runner/verify/product.hpp"

namespace runner::contract_checks {
namespace {

using ladder::Rung;
using ladder::Sgemm;
using results::Problem;

// --- sizes ------------------------------------------------------------------------------------------------

// Tiny, ragged, skinny, and multiples of the tiles' sizes. None is square, so that swapped indices show.
constexpr Shape SHAPES[] = {
    {1, 1, 1},       {1, 1, 257},    {2, 3, 5},      {31, 33, 35},   {33, 31, 1},    {64, 32, 96},
    {65, 129, 33},   {1, 127, 65},   {127, 1, 65},   {3, 257, 4},    {257, 3, 130},  {128, 64, 8},
    {129, 130, 131}, {128, 256, 64}, {256, 128, 32}, {1, 1024, 64},  {1024, 1, 64},  {4, 300, 512},
    {16, 200, 16},   {200, 16, 300}, {64, 48, 1024}, {300, 270, 70}, {100, 100, 99}, {90, 7, 70},
};

std::string dense_shapes(const Rung& rung) {
  for (const Shape& s : SHAPES) {
    if (auto found = complaint_of(rung, dense(s, {1, 0})); !found.empty()) return found;
  }
  return "";
}

std::string padded_unaligned_shapes(const Rung& rung) {
  for (const Shape& s : SHAPES) {
    Problem p = padded(s, {-0.5F, 1.5F}, 3, 5, 7);
    p.offset_a = p.offset_b = p.offset_c = 1;
    if (auto found = complaint_of(rung, p); !found.empty()) return found;
  }
  return "";
}

// Returns a rung's launches for a product of this shape. Nothing if launches cannot be seen, or if the launch fails.
std::vector<results::Kernel> launches_of(const Rung& rung, const Shape& s) {
  const WithoutHazards it_is_looked_at_only;
  results::Observation seen;
  Verifier verifier(dense(s, {1, 0}), GUARDED, rung.arithmetic);
  if (run_product(rung, verifier.prepare(Values::integers), seen) != cudaSuccess) return {};
  return seen.kernels;
}

// Returns sizes at which a kernel's tiles may end: the usual tiles, and the tiles of the kernel's own grid and block.
std::vector<int64_t> tile_edges(const Rung& rung) {
  std::set<int64_t> edges{8, 16, 32, 64, 128};
  // A K of less than 9 may have a kernel of its own.
  for (const Shape& s : {Shape{1024, 1, 1}, {1, 1024, 1}, {520, 520, 9}}) {
    for (const results::Kernel& kernel : launches_of(rung, s)) {
      for (const int64_t threads : kernel.block) edges.insert(threads);
      for (const int64_t blocks : kernel.grid)
        edges.insert(ladder::ceil_div(std::max(s.M, s.N), std::max<int64_t>(1, blocks)));
    }
  }
  std::erase_if(edges, [](int64_t edge) { return edge < 2 || edge > 256; });
  return {edges.begin(), edges.end()};
}

// Returns sizes beside each edge: of M and N in turn, with a K of 1, of 9 and another one, and of K. A seed draws the other
// sizes. Adds every K from 1 to more than any kernel's step. Adds sizes with a row or a column more than a tile and
// many tiles on the other side.
std::vector<Shape> shapes_around(const std::vector<int64_t>& edges) {
  std::vector<int64_t> sides{1, 2, 3, 5};
  for (const int64_t edge : edges) {
    for (const int64_t side : {edge - 1, edge, edge + 1, 2 * edge + 1}) sides.push_back(side);
  }
  std::mt19937_64 random(7);
  const auto any = [&random](const std::vector<int64_t>& values, int64_t most) {
    std::vector<int64_t> fit;
    std::ranges::copy_if(values, std::back_inserter(fit), [most](int64_t v) { return v <= most; });
    return fit[random() % fit.size()];
  };
  std::vector<Shape> shapes;
  for (const int64_t side : sides) {
    for (const int64_t K : {int64_t{1}, int64_t{9}, any(sides, 20)}) {
      shapes.push_back({side, any(sides, 140), K});
      shapes.push_back({any(sides, 140), side, K});
    }
    shapes.push_back({any(sides, 70), any(sides, 70), side});
  }
  for (int64_t K = 1; K <= 40; ++K) shapes.push_back({K % 2 == 0 ? 129 : 72, 66, K});
  for (const int64_t edge : edges) {
    for (const int64_t more : {edge + 1, 2 * edge + 1}) {
      shapes.push_back({more, 1025 + static_cast<int64_t>(random() % 64), 9});
      shapes.push_back({1025 + static_cast<int64_t>(random() % 64), more, 9});
    }
  }
  return shapes;
}

std::string sizes_around_its_tiles(const Rung& rung) {
  for (const Shape& s : shapes_around(tile_edges(rung))) {
    if (auto found = exact_complaint_of(rung, dense(s, {1, 1})); !found.empty()) return found;
  }
  return "";
}

// --- leading dimensions and alignment ---------------------------------------------------------------------

// Changes the leading dimensions together, since a kernel may require something of one matrix only if another allows
// it.
std::string leading_dimensions(const Rung& rung) {
  for (const Shape& s : {Shape{132, 68, 36}, {4, 64, 32}, {64, 4, 32}}) {
    for (const int64_t a : {0, 1, 4}) {
      for (const int64_t b : {0, 1, 2, 8}) {
        for (const int64_t c : {0, 1, 3, 4}) {
          const Problem p = padded(s, {1, 1}, a, b, c);
          if (auto found = exact_complaint_of(rung, p); !found.empty()) return found;
        }
      }
    }
  }
  return "";
}

// The sizes at which one leading dimension or one offset is changed: whole vectors of 32 and of 16 bytes, ragged sizes
// whose rows are still aligned, few rows and columns, and a short K.
constexpr Shape ALIGNED_SHAPES[] = {{128, 64, 64}, {128, 68, 64}, {131, 67, 61},
                                    {4, 64, 32},   {64, 4, 32},   {67, 131, 5}};
constexpr int64_t MOST_BEYOND = 7;  // floats; the eighth is a whole vector of 32 bytes again

// Returns a problem whose leading dimensions are multiples of `multiple` floats.
Problem aligned(const Shape& s, int64_t multiple) {
  Problem p = dense(s, {1, 1});
  for (int64_t* ld : {&p.lda, &p.ldb, &p.ldc}) *ld = ladder::ceil_div(*ld, multiple) * multiple;
  return p;
}

std::string each_leading_dimension(const Rung& rung) {
  for (const Shape& s : ALIGNED_SHAPES) {
    for (int64_t Problem::* ld : {&Problem::lda, &Problem::ldb, &Problem::ldc}) {
      for (int64_t beyond = 0; beyond <= MOST_BEYOND; ++beyond) {
        Problem p = aligned(s, 4);
        p.*ld = dense(s, {1, 1}).*ld + beyond;
        if (auto found = exact_complaint_of(rung, p); !found.empty()) return found;
      }
    }
  }
  return "";
}

std::string common_alignments(const Rung& rung) {
  for (const int64_t offset : {1, 2, 3, 4, 8}) {
    Problem p = dense({128, 64, 32}, {1, 0});
    p.offset_a = p.offset_b = p.offset_c = offset;
    if (auto found = complaint_of(rung, p); !found.empty()) return found;
  }
  return "";
}

// Moves each matrix alone off its boundary. This finds a kernel that tests one matrix for all.
std::string each_alignment(const Rung& rung) {
  for (const Shape& s : ALIGNED_SHAPES) {
    for (int64_t Problem::* offset : {&Problem::offset_a, &Problem::offset_b, &Problem::offset_c}) {
      for (int64_t beyond = 0; beyond <= MOST_BEYOND; ++beyond) {
        Problem p = aligned(s, 8);
        p.*offset = beyond;
        if (auto found = exact_complaint_of(rung, p); !found.empty()) return found;
      }
    }
  }
  return "";
}

// Moves two matrices off their boundaries and leaves one on it.
std::string alignments_of_two(const Rung& rung) {
  for (const Shape& s : {Shape{132, 72, 40}, {4, 64, 32}, {64, 4, 32}}) {
    for (const auto& [a, b, c] : {std::array<int64_t, 3>{1, 1, 0}, {1, 0, 1}, {0, 1, 1}}) {
      Problem p = aligned(s, 8);
      p.offset_a = a;
      p.offset_b = b;
      p.offset_c = c;
      if (auto found = complaint_of(rung, p); !found.empty()) return found;
    }
  }
  return "";
}

// True if lanes move more than a float at a time; nothing if accesses are not counted.
std::optional<bool> moves_vectors(const Rung& rung, const Sgemm& sgemm, cudaError_t& error) {
  results::Result result;
  error = run_product(rung, sgemm, result.seen);
  if (error != cudaSuccess || !result.seen.traffic) return std::nullopt;
  for (const char* width : {"load_bytes_per_lane", "store_bytes_per_lane"}) {
    for (const char* matrix : {"A", "B", "C"}) {
      if (results::value(result, width, matrix).value_or(0) > sizeof(float)) return true;
    }
  }
  return false;
}

// Checks the names of the paths. A path is called "float4" or "float8" if any matrix is moved in vectors, otherwise
// "scalar" or nothing. A rung with a single path names none.
std::string path_names(const Rung& rung) {
  std::vector<std::string> names;
  for (const Shape& s : {Shape{128, 128, 64}, {4, 64, 64}, {64, 4, 64}}) {
    for (const auto& [a, b, c] :
         {std::array<int64_t, 3>{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {4, 4, 0}}) {
      Problem p = aligned(s, 8);
      p.offset_a = a;
      p.offset_b = b;
      p.offset_c = c;
      cudaError_t error = cudaSuccess;
      Verifier verifier(p, GUARDED, rung.arithmetic);
      const Sgemm sgemm = verifier.prepare(Values::reals);
      const char* const path = ladder::path(rung, sgemm);
      names.emplace_back(path == nullptr ? "" : path);
      const std::optional<bool> vectors = moves_vectors(rung, sgemm, error);
      if (error != cudaSuccess) return fmt::format("{} at {}", describe(error), describe(p));
      if (!vectors) return "";
      const bool said = names.back().find("float") != std::string::npos;
      if (said == *vectors) continue;
      return fmt::format("its path is called '{}', and lanes move {} at {}, {}", names.back(),
                         *vectors ? "several floats at a time" : "a float at a time", describe(p),
                         describe_offsets(p));
    }
  }
  if (rung.path != nullptr && std::ranges::count(names, names.front()) == std::ssize(names)) {
    return fmt::format("it names a path, '{}', though it has no other", names.front());
  }
  return "";
}

// Checks vector accesses at an edge of a matrix that is also the end of its memory.
std::string end_of_memory(const Rung& rung) {
  for (const Transposes& form : forms_of(rung)) {
    for (const Shape& s : {Shape{165, 18, 48}, {129, 2, 33}, {13, 255, 7}, {5, 6, 131}}) {
      Problem p = transposed(dense(s, {1, 1}), form);
      for (int64_t* ld : {&p.lda, &p.ldb, &p.ldc}) *ld = (*ld + 3) / 4 * 4;
      if (auto found = complaint_of(rung, p, {.guard = 0}); !found.empty()) return found;
    }
  }
  return "";
}

// --- transposes -------------------------------------------------------------------------------------------

// Tiny; whole tiles; ragged ends of every tile; few rows and few columns; a short K, one of several steps, and one that is divided.
constexpr Shape TRANSPOSED_SHAPES[] = {{1, 1, 1},     {1, 131, 70},   {130, 1, 67},  {64, 64, 64},
                                       {129, 70, 61}, {70, 130, 33},  {3, 257, 40},  {257, 3, 130},
                                       {129, 63, 20}, {33, 65, 1100}, {65, 9, 1031}, {64, 64, 2048},
                                       {70, 130, 5}};

// Checks every pair of operations other than none, of a rung that takes transposes.
std::string transposes(const Rung& rung) {
  const std::vector<Transposes> forms = forms_of(rung);
  for (const Transposes& form : std::span(forms).subspan(1)) {
    for (const Shape& s : TRANSPOSED_SHAPES) {
      Problem p = transposed(dense(s, {-0.5F, 1.5F}), form);
      if (auto found = complaint_of(rung, p); !found.empty()) return found;
      p.ldb += 3;
      if (auto found = exact_complaint_of(rung, p); !found.empty()) return found;
      for (int64_t* ld : {&p.lda, &p.ldc}) *ld += 3;
      p.offset_a = p.offset_b = p.offset_c = 1;
      if (auto found = exact_complaint_of(rung, p); !found.empty()) return found;
    }
    for (const results::Data data : {results::Data::special, results::Data::scaled}) {
      for (const Shape& s : {Shape{129, 70, 61}, {33, 24, 2100}}) {
        Problem p = transposed(dense(s, {1, 1}), form);
        p.data = data;
        for (int64_t* ld : {&p.lda, &p.ldb, &p.ldc}) *ld += 1;
        if (auto found = complaint_of(rung, p); !found.empty()) return found;
      }
    }
    for (const Factors f : {Factors{1, 2.5F}, {0, 1.5F}}) {
      for (const int64_t K : {0, 7}) {
        const Problem p = transposed(dense({33, 65, K}, f), form);
        if (auto found = complaint_of(rung, p); !found.empty()) return found;
      }
    }
  }
  return "";
}

// --- batches ----------------------------------------------------------------------------------------------

// A batch of products of small integers, which are exact in any order.
struct Batch {
  Shape shape;
  int64_t count;
  bool shares_a = false, shares_b = false;
  int64_t pad = 0, gap = 0;  // floats after each row, and between two matrices
  Factors factors{2, 1};
  Transposes transposes{};
};

// Returns the complaint about a batch: each element of each C, and what lies between them.
std::string complaint_of_batch(const Rung& rung, const Batch& batch) {
  const auto [M, N, K] = batch.shape;
  const auto [alpha, beta] = batch.factors;
  Problem p = transposed(dense(batch.shape, batch.factors), batch.transposes);
  for (int64_t* ld : {&p.lda, &p.ldb, &p.ldc}) *ld += batch.pad;
  const int64_t size_a = p.rows_of_a() * p.lda + batch.gap;
  const int64_t size_b = p.rows_of_b() * p.ldb + batch.gap;
  const int64_t size_c = M * p.ldc + batch.gap;
  std::mt19937_64 random(7);
  const auto integers = [&random](int64_t count) {
    std::vector<float> values(static_cast<size_t>(count));
    for (float& value : values) value = static_cast<float>(random() % 17) - 8;
    return values;
  };
  const std::vector<float> host_a = integers((batch.shares_a ? 1 : batch.count) * size_a);
  const std::vector<float> host_b = integers((batch.shares_b ? 1 : batch.count) * size_b);
  std::vector<float> host_c = integers(batch.count * size_c);
  if (beta == 0) std::ranges::fill(host_c, std::numeric_limits<float>::quiet_NaN());
  const DeviceFloats A(host_a), B(host_b), C(host_c);
  const bool has_product = ladder::has_product(alpha, K);
  const auto op = [](bool is) { return is ? ladder::Op::transpose : ladder::Op::none; };
  ladder::Call call({.M = M,
                     .N = N,
                     .K = K,
                     .alpha = alpha,
                     .A = has_product ? A.data() : nullptr,
                     .lda = p.lda,
                     .B = has_product ? B.data() : nullptr,
                     .ldb = p.ldb,
                     .beta = beta,
                     .C = C.data(),
                     .ldc = p.ldc,
                     .op_a = op(batch.transposes.a),
                     .op_b = op(batch.transposes.b)});
  call.batch = batch.count;
  call.stride_a = batch.shares_a ? 0 : size_a;
  call.stride_b = batch.shares_b ? 0 : size_b;
  call.stride_c = size_c;
  const std::string where = fmt::format("a batch of {} at {}", batch.count, describe(p));
  cudaError_t error = ladder::launch(rung, call, nullptr);
  if (error == cudaSuccess) error = cudaStreamSynchronize(nullptr);
  if (error != cudaSuccess) return fmt::format("{}, in {}", describe(error), where);
  const std::vector<float> found = C.read();
  for (int64_t at = 0; at < std::ssize(found); ++at) {
    const int64_t i = at / size_c, row = at % size_c / p.ldc, col = at % size_c % p.ldc;
    const bool is_inside = row < M && col < N;
    const float before = host_c[static_cast<size_t>(at)], got = found[static_cast<size_t>(at)];
    double want = !is_inside ? before : beta == 0 ? 0 : beta * before;
    for (int64_t k = 0; is_inside && has_product && k < K; ++k) {
      const int64_t a = batch.transposes.a ? k * p.lda + row : row * p.lda + k;
      const int64_t b = batch.transposes.b ? col * p.ldb + k : k * p.ldb + col;
      want += alpha * host_a[static_cast<size_t>(i * call.stride_a + a)] *
              host_b[static_cast<size_t>(i * call.stride_b + b)];
    }
    if (got == static_cast<float>(want) || (std::isnan(got) && std::isnan(want))) continue;
    if (!is_inside) return fmt::format("it wrote beside C of product {}, in {}", i, where);
    return fmt::format("C[{}][{}] of product {} is {}, should be {}, in {}", row, col, i, got, want,
                       where);
  }
  return "";
}

// Checks batches: dense and padded ones, with aligned rows and others, with matrices that all products share. A rung that launches the
// products together is also given a K worth dividing, and more products than a grid takes in one direction. (Of other rungs each product is a
// launch of its own, as in the check of long sums.)
std::string batches(const Rung& rung) {
  std::vector<Batch> all{{.shape = {1, 1, 1}, .count = 3},
                         {.shape = {32, 32, 32}, .count = 7},
                         {.shape = {32, 32, 32}, .count = 3, .gap = 1},
                         {.shape = {33, 20, 17}, .count = 3, .pad = 3, .gap = 3},
                         {.shape = {64, 48, 40}, .count = 4, .pad = 4, .factors = {1, 0}},
                         {.shape = {130, 70, 9}, .count = 2, .shares_a = true},
                         {.shape = {5, 140, 36}, .count = 5, .shares_b = true},
                         {.shape = {33, 20, 0}, .count = 2, .factors = {1, 2}},
                         {.shape = {33, 20, 9}, .count = 2, .factors = {0, 2}}};
  if (rung.launch_batch != nullptr) all.push_back({.shape = {12, 10, 60000}, .count = 2});
  const std::vector<Transposes> forms = forms_of(rung);
  for (const Transposes& form : std::span(forms).subspan(1)) {
    all.push_back({.shape = {40, 33, 70}, .count = 3, .pad = 4, .gap = 1, .transposes = form});
    all.push_back({.shape = {40, 33, 70}, .count = 2, .shares_a = true, .transposes = form});
    all.push_back({.shape = {1, 33, 70}, .count = 3, .transposes = form});
  }
  for (const Batch& batch : all) {
    if (auto found = complaint_of_batch(rung, batch); !found.empty()) return found;
  }
  if (rung.launch_batch == nullptr) return "";
  const WithoutHazards they_were_looked_for;
  return complaint_of_batch(rung, {.shape = {2, 9, 3}, .count = 65537});
}

// --- long sums --------------------------------------------------------------------------------------------

// True if blocks may share the sum of one element: the launches for a short and a long K differ, or there are more
// blocks than elements of C.
bool may_divide_K(const Rung& rung) {
  constexpr Shape SHORT{9, 2, 8}, LONG{9, 2, 12000};
  constexpr int64_t ELEMENTS = LONG.M * LONG.N;
  const std::vector<results::Kernel> launched = launches_of(rung, LONG);
  if (launched.empty() || launched != launches_of(rung, SHORT)) return true;
  return std::ranges::any_of(launched, [](const results::Kernel& kernel) {
    const auto& [x, y, z] = kernel.grid;
    return x * y * z > ELEMENTS;
  });
}

// Checks long sums. K is so long that a kernel which splits its sums does split them. If blocks may share a sum, K is
// also so long that all blocks that a device holds share it, in several steps each, and in the end so long that a kernel
// whose parts of K are short gives some blocks two of them. There hazards are not looked for: the search would take most
// of the contract's time, and the sums before have the same steps in fewer blocks.
std::string long_sums(const Rung& rung) {
  std::vector<Shape> shapes{{24, 40, 2500}, {40, 72, 1500}, {3, 40, 5000}, {40, 3, 5000}};
  const bool may_be_shared = may_divide_K(rung);
  if (may_be_shared) shapes.push_back({2, 8, 10000});
  for (const Shape& s : shapes) {
    if (auto found = complaint_of(rung, dense(s, {1, 0})); !found.empty()) return found;
  }
  const WithoutHazards they_were_looked_for;
  if (may_be_shared) {
    for (const Shape& s : {Shape{2, 8, 40000}, {9, 2, 150000}}) {
      if (auto found = complaint_of(rung, dense(s, {1, 0})); !found.empty()) return found;
    }
  }
  return exact_complaint_of(rung, dense({20, 24, 12000}, {1, 0}));
}

std::string nothing_to_sum(const Rung& rung) {
  for (const Factors f : {Factors{1, 0}, {1, 2.5F}}) {
    if (auto found = complaint_of(rung, dense({33, 65, 0}, f)); !found.empty()) {
      return found;
    }
  }
  return "";
}

std::string nothing_to_compute(const Rung& rung) {
  for (const Problem& p :
       {dense({0, 65, 7}, {1, 0}), dense({33, 0, 7}, {1, 2}), dense({0, 0, 0}, {1, 0})}) {
    if (auto found = complaint_of(rung, p); !found.empty()) return found;
  }
  return "";
}

constexpr ContractCheck CHECKS[] = {
    {"dense shapes", dense_shapes},
    {"padded and unaligned shapes", padded_unaligned_shapes},
    {"leading dimensions", leading_dimensions},
    {"each leading dimension", each_leading_dimension},
    {"alignment of all matrices", common_alignments},
    {"alignment of two matrices", alignments_of_two},
    {"alignment of each matrix", each_alignment},
    {"sizes around its tiles", sizes_around_its_tiles},
    {"the paths that it names", path_names},
    {"nothing beyond the end of memory", end_of_memory},
    {"transposes", transposes},
    {"batches", batches},
    {"long sums", long_sums},
    {"nothing to sum", nothing_to_sum},
    {"nothing to compute", nothing_to_compute},
};

}  // namespace

std::span<const ContractCheck> of_shapes() { return CHECKS; }

}  // namespace runner::contract_checks
