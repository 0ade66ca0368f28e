#include "distributed/library/arguments.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <tuple>
#include <utility>

#include "distributed/library/failure.hpp"

namespace distributed {
namespace {

constexpr int64_t MOST_ELEMENTS = int64_t{1}
                                  << 36;  // in a row or a column: no product of sizes overflows
constexpr int64_t MOST_PANEL = int64_t{1} << 20;

constexpr const char *TRANS_A = "argument 2 (trans_a)", *TRANS_B = "argument 3 (trans_b)",
                     *M_NAME = "argument 4 (m)", *N_NAME = "argument 5 (n)",
                     *K_NAME = "argument 6 (k)", *ALPHA = "argument 7 (alpha)",
                     *A_NAME = "argument 8 (A)", *DESC_A = "argument 9 (desc_a)",
                     *B_NAME = "argument 10 (B)", *DESC_B = "argument 11 (desc_b)",
                     *BETA = "argument 12 (beta)", *C_NAME = "argument 13 (C)",
                     *DESC_C = "argument 14 (desc_c)", *OPTIONS = "argument 15 (options)";

// The places of a descriptor's numbers.
enum Number { dtype, ctxt, rows, cols, row_block, col_block, first_row, first_col, ld };
constexpr std::array<const char*, 9> NAMES{"DTYPE_", "CTXT_", "M_",    "N_",  "MB_",
                                           "NB_",    "RSRC_", "CSRC_", "LLD_"};

std::string number_of(const std::string& argument, int number) {
  return argument + ": number " + std::to_string(number + 1) + " (" +
         NAMES[static_cast<size_t>(number)] + ")";
}

std::string is(int64_t value) { return "is " + std::to_string(value); }

// A size with its name, as a descriptor must have it.
struct Size {
  const char* name;
  int64_t value;
};

bool is_transposed(int trans) { return trans != SGEMM_LADDER_NO_TRANS; }

void check_transpose(const char* name, int value) {
  if (value < SGEMM_LADDER_NO_TRANS || value > SGEMM_LADDER_CONJ_TRANS)
    throw_invalid(name,
                  is(value) +
                      "; 111 (no transpose), 112 (transpose) and 113 (conjugate transpose) are "
                      "allowed");
}

void check_size(const std::string& name, int64_t value) {
  if (value < 0) throw_invalid(name, is(value) + "; it must be at least 0");
  if (value > MOST_ELEMENTS)
    throw_invalid(name, is(value) + "; it must be at most " + std::to_string(MOST_ELEMENTS));
}

void check_descriptor(const char* name, const int64_t* desc, const Size& of_rows,
                      const Size& of_cols, const Grid& grid, int rank) {
  const Layout layout = checked_layout(name, desc, grid);
  for (const auto& [number, size] : {std::pair{rows, of_rows}, {cols, of_cols}})
    if (desc[number] != size.value)
      throw_invalid(number_of(name, number), is(desc[number]) + "; it must be " + size.name +
                                                 ", which is " + std::to_string(size.value));
  const int64_t local_rows = layout.rows_on(grid, rank), local_cols = layout.cols_on(grid, rank);
  const std::string of_ld = number_of(name, ld);
  if (desc[ld] < std::max<int64_t>(1, local_rows))
    throw_invalid(of_ld, is(desc[ld]) + "; it must be at least " +
                             (local_rows < 1 ? "1"
                                             : "the rows on this process, which are " +
                                                   std::to_string(local_rows)));
  int64_t bytes = 0;
  if (__builtin_mul_overflow(desc[ld], local_cols, &bytes) ||
      __builtin_mul_overflow(bytes, int64_t{sizeof(float)}, &bytes))
    throw_invalid(of_ld, is(desc[ld]) +
                             "; this process's part would be larger than the memory that a pointer "
                             "can address");
}

void check_pointer(const char* name, const float* data, bool is_needed, const int64_t* desc,
                   const Grid& grid, int rank) {
  const Layout layout = checked_layout(name, desc, grid);
  const int64_t local_rows = layout.rows_on(grid, rank), local_cols = layout.cols_on(grid, rank);
  if (data == nullptr && is_needed && local_rows > 0 && local_cols > 0)
    throw_invalid(name, "is null; it must be a pointer to this process's part of " +
                            std::to_string(local_rows) + " x " + std::to_string(local_cols) +
                            " elements in device memory");
  if (reinterpret_cast<uintptr_t>(data) % alignof(float) == 0) return;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%p", static_cast<const void*>(data));
  throw_invalid(name, std::string("is ") + text.data() + "; it must be a multiple of 4");
}

void check_options(const sgemm_ladder_distributed_options* o) {
  if (o == nullptr) return;
  constexpr size_t KNOWN = sizeof *o, MOST = 4096;  // more: the size was never set
  const std::string size = "has a struct_size of " + std::to_string(o->struct_size);
  if (o->struct_size < KNOWN)
    throw_invalid(OPTIONS, size +
                               "; it must be sizeof(sgemm_ladder_distributed_options), which is " +
                               std::to_string(KNOWN));
  const auto* const bytes = reinterpret_cast<const unsigned char*>(o);
  if (o->struct_size > MOST ||
      std::any_of(bytes + KNOWN, bytes + o->struct_size, [](unsigned char b) { return b != 0; }))
    throw_invalid(OPTIONS, size + ", and sets options that this version does not know; it knows " +
                               std::to_string(KNOWN) + " bytes");
  if (o->panel < 0 || o->panel > MOST_PANEL)
    throw_invalid(OPTIONS, "has the panel " + std::to_string(o->panel) + "; it must be from 1 to " +
                               std::to_string(MOST_PANEL) + ", or 0, which means a quarter of k");
  if (o->algorithm != SGEMM_LADDER_BEST && o->algorithm != SGEMM_LADDER_STREAM_K &&
      o->algorithm != SGEMM_LADDER_TENSOR_FP32)
    throw_invalid(OPTIONS, "has the algorithm " + std::to_string(o->algorithm) +
                               "; 0 (best), 12 (stream_k) and 16 (tensor_fp32) are allowed");
  if (o->reserved != 0)
    throw_invalid(OPTIONS, "has " + std::to_string(o->reserved) + " as reserved; it must be 0");
}

int64_t panel_of(const sgemm_ladder_distributed_options* o, int64_t k) {
  return o == nullptr || o->panel == 0 ? usual_panel(k) : o->panel;
}

int algorithm_of(const sgemm_ladder_distributed_options* o) {
  return o == nullptr ? int{SGEMM_LADDER_BEST} : o->algorithm;
}

// A number that all processes must have.
struct Common {
  std::string name;
  int64_t value;
  bool is_float = false;  // `value` has the bits of one

  std::string text_of(int64_t other) const {
    if (!is_float) return std::to_string(other);
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.9g",
                  static_cast<double>(std::bit_cast<float>(static_cast<int32_t>(other))));
    return text.data();
  }
};

std::array<Common, std::tuple_size_v<CommonNumbers>> common(const Arguments& a) {
  const auto bits = [](float value) { return int64_t{std::bit_cast<int32_t>(value)}; };
  const auto of = [](const char* name, const int64_t* desc, int number) {
    return Common{number_of(name, number), desc[number]};
  };
  return {{{TRANS_A, a.trans_a},
           {TRANS_B, a.trans_b},
           {M_NAME, a.m},
           {N_NAME, a.n},
           {K_NAME, a.k},
           {ALPHA, bits(a.alpha), true},
           of(DESC_A, a.desc_a, row_block),
           of(DESC_A, a.desc_a, col_block),
           of(DESC_A, a.desc_a, first_row),
           of(DESC_A, a.desc_a, first_col),
           of(DESC_B, a.desc_b, row_block),
           of(DESC_B, a.desc_b, col_block),
           of(DESC_B, a.desc_b, first_row),
           of(DESC_B, a.desc_b, first_col),
           {BETA, bits(a.beta), true},
           of(DESC_C, a.desc_c, row_block),
           of(DESC_C, a.desc_c, col_block),
           of(DESC_C, a.desc_c, first_row),
           of(DESC_C, a.desc_c, first_col),
           {std::string(OPTIONS) + ": panel", panel_of(a.options, a.k)},
           {std::string(OPTIONS) + ": algorithm", algorithm_of(a.options)}}};
}

}  // namespace

void throw_invalid(const std::string& argument, const std::string& complaint) {
  throw Failure(SGEMM_LADDER_INVALID_ARGUMENT, argument + " " + complaint);
}

void throw_mismatch(const std::string& argument, const std::string& here,
                    const std::string& on_first) {
  throw Failure(SGEMM_LADDER_MISMATCH, argument + " is " + here + ", and " + on_first +
                                           " on rank 0; it must be the same on all processes");
}

Layout checked_layout(const std::string& argument, const int64_t* desc, const Grid& grid) {
  if (desc == nullptr)
    throw_invalid(argument, "is null; it must be the address of the nine numbers of a matrix");
  if (desc[dtype] != 1)
    throw_invalid(number_of(argument, dtype), is(desc[dtype]) + "; it must be 1, a dense matrix");
  for (const int number : {rows, cols}) check_size(number_of(argument, number), desc[number]);
  for (const int number : {row_block, col_block})
    if (desc[number] < 1)
      throw_invalid(number_of(argument, number), is(desc[number]) + "; it must be at least 1");
  for (const auto& [number, lines, name] :
       {std::tuple{first_row, grid.rows, "row"}, {first_col, grid.cols, "column"}})
    if (desc[number] < 0 || desc[number] >= lines)
      throw_invalid(number_of(argument, number), is(desc[number]) + "; it must be a " + name +
                                                     " of the grid, from 0 to " +
                                                     std::to_string(lines - 1));
  Descriptor numbers;
  std::copy_n(desc, numbers.size(), numbers.begin());
  // A block that is larger than the matrix is the matrix.
  numbers[row_block] = std::min(numbers[row_block], std::max<int64_t>(1, numbers[rows]));
  numbers[col_block] = std::min(numbers[col_block], std::max<int64_t>(1, numbers[cols]));
  return layout_of(numbers, grid);
}

void check_arguments(const Arguments& a, const Grid& grid, int rank) {
  check_transpose(TRANS_A, a.trans_a);
  check_transpose(TRANS_B, a.trans_b);
  for (const auto& [name, size] : {std::pair{M_NAME, a.m}, {N_NAME, a.n}, {K_NAME, a.k}})
    check_size(name, size);
  Size a_rows{"m", a.m}, a_cols{"k", a.k}, b_rows{"k", a.k}, b_cols{"n", a.n};
  if (is_transposed(a.trans_a)) std::swap(a_rows, a_cols);
  if (is_transposed(a.trans_b)) std::swap(b_rows, b_cols);
  check_descriptor(DESC_A, a.desc_a, a_rows, a_cols, grid, rank);
  check_pointer(A_NAME, a.A, a.has_product(), a.desc_a, grid, rank);
  check_descriptor(DESC_B, a.desc_b, b_rows, b_cols, grid, rank);
  check_pointer(B_NAME, a.B, a.has_product(), a.desc_b, grid, rank);
  check_descriptor(DESC_C, a.desc_c, {"m", a.m}, {"n", a.n}, grid, rank);
  check_pointer(C_NAME, a.C, true, a.desc_c, grid, rank);
  check_options(a.options);
}

CommonNumbers common_numbers(const Arguments& arguments) {
  CommonNumbers numbers;
  std::ranges::transform(common(arguments), numbers.begin(), &Common::value);
  return numbers;
}

void check_common(const Arguments& arguments, const CommonNumbers& of_first) {
  const auto mine = common(arguments);
  for (size_t i = 0; i < mine.size(); ++i)
    if (mine[i].value != of_first[i])
      throw_mismatch(mine[i].name, mine[i].text_of(mine[i].value), mine[i].text_of(of_first[i]));
}

Product product_of(const Arguments& a, const Grid& grid) {
  const int64_t k = a.has_product() ? a.k : 0;
  return {
      .m = a.m,
      .n = a.n,
      .k = k,
      .alpha = a.alpha,
      .beta = a.beta,
      .a = {checked_layout(DESC_A, a.desc_a, grid), a.A, a.desc_a[ld], is_transposed(a.trans_a)},
      .b = {checked_layout(DESC_B, a.desc_b, grid), a.B, a.desc_b[ld], is_transposed(a.trans_b)},
      .c = checked_layout(DESC_C, a.desc_c, grid),
      .c_data = a.C,
      .ldc = a.desc_c[ld],
      .panel = std::clamp<int64_t>(k, 1, panel_of(a.options, k)),
      .algorithm = algorithm_of(a.options)};
}

}  // namespace distributed
