// A stand-in for libcublasLt.so.13: descriptors, and cublasLtMatmul in plain loops.
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "counted_calls.hpp"
#include "standin.hpp"

namespace standin {
namespace {

namespace cublas = preload::cublas;

CountedCalls calls;

// The bytes of each attribute, as cuBLAS documents them.
const std::map<Value, size_t> BYTES_OF_PRODUCT = {
    {cublas::LT_COMPUTE_TYPE, 4},    {cublas::LT_SCALE_TYPE, 4},
    {cublas::LT_POINTER_MODE, 4},    {cublas::LT_TRANS_A, 4},
    {cublas::LT_TRANS_B, 4},         {cublas::LT_TRANS_C, 4},
    {cublas::LT_FILL_MODE, 4},       {cublas::LT_EPILOGUE, 4},
    {cublas::LT_BIAS_POINTER, 8},    {cublas::LT_BIAS_BATCH_STRIDE, 8},
    {cublas::LT_SM_COUNT_TARGET, 4}, {cublas::LT_A_SCALE_POINTER, 8},
    {cublas::LT_B_SCALE_POINTER, 8}, {cublas::LT_C_SCALE_POINTER, 8},
    {cublas::LT_D_SCALE_POINTER, 8}, {cublas::LT_AMAX_D_POINTER, 8},
    {cublas::LT_BIAS_DATA_TYPE, 4}};
const std::map<Value, size_t> BYTES_OF_LAYOUT = {
    {cublas::LAYOUT_TYPE, 4},   {cublas::LAYOUT_ORDER, 4},     {cublas::LAYOUT_ROWS, 8},
    {cublas::LAYOUT_COLS, 8},   {cublas::LAYOUT_LD, 8},        {cublas::LAYOUT_BATCH_COUNT, 4},
    {cublas::LAYOUT_STRIDE, 8}, {cublas::LAYOUT_BATCH_MODE, 4}};

struct Attributes {
  std::map<Value, std::vector<char>> values;

  template <typename T>
  T get(Value attribute, T unset) const {
    const auto found = values.find(attribute);
    if (found != values.end()) std::memcpy(&unset, found->second.data(), sizeof unset);
    return unset;
  }
};
Attributes* attributes_of(Descriptor d) { return static_cast<Attributes*>(d); }

Value set(Descriptor d, Value attribute, const void* value, size_t bytes) {
  const char* first = static_cast<const char*>(value);
  attributes_of(d)->values[attribute].assign(first, first + bytes);
  return cublas::SUCCESS;
}

Value get(const std::map<Value, size_t>& bytes_of, Descriptor d, Value attribute, void* value,
          size_t bytes, size_t* written) {
  const auto known = bytes_of.find(attribute);
  if (d == nullptr || known == bytes_of.end() || known->second != bytes)
    return cublas::INVALID_VALUE;
  std::memset(value, 0, bytes);
  const int32_t one = 1, minus_one = -1, full = cublas::FILL_FULL;
  if (&bytes_of == &BYTES_OF_PRODUCT) {
    if (attribute == cublas::LT_EPILOGUE) std::memcpy(value, &one, sizeof one);
    if (attribute == cublas::LT_BIAS_DATA_TYPE) std::memcpy(value, &minus_one, sizeof minus_one);
    if (attribute == cublas::LT_FILL_MODE) std::memcpy(value, &full, sizeof full);
  } else if (attribute == cublas::LAYOUT_BATCH_COUNT) {
    std::memcpy(value, &one, sizeof one);
  }
  const auto found = attributes_of(d)->values.find(attribute);
  if (found != attributes_of(d)->values.end()) std::memcpy(value, found->second.data(), bytes);
  *written = bytes;
  return cublas::SUCCESS;
}

// A matrix of one product of a batch.
struct Matrix {
  const Attributes* layout;
  const float* first;

  const float* at(uint64_t row, uint64_t col, int64_t product) const {
    const auto ld = static_cast<uint64_t>(layout->get<int64_t>(cublas::LAYOUT_LD, 0));
    const bool rows = layout->get<int32_t>(cublas::LAYOUT_ORDER, 0) == cublas::ORDER_ROW;
    return first + product * layout->get<int64_t>(cublas::LAYOUT_STRIDE, 0) +
           (rows ? row * ld + col : row + col * ld);
  }
};

double activated(uint32_t epilogue, double x) {
  if ((epilogue & cublas::EPILOGUE_RELU) != 0) return x > 0 ? x : 0;
  if ((epilogue & cublas::EPILOGUE_GELU) != 0)
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  return x;
}

}  // namespace
}  // namespace standin

// The names are cuBLAS's. NOLINTBEGIN(readability-identifier-naming)
using namespace standin;

extern "C" {

long standin_lt_calls(const char* function) { return calls.of(function); }

Value cublasLtCreate(Handle* handle) {
  *handle = new char;
  return cublas::SUCCESS;
}
Value cublasLtDestroy(Handle handle) {
  delete static_cast<char*>(handle);
  return cublas::SUCCESS;
}
Value cublasLtMatmulDescCreate(Descriptor* product, Value compute, Value scale) {
  *product = new Attributes;
  set(*product, cublas::LT_COMPUTE_TYPE, &compute, sizeof compute);
  return set(*product, cublas::LT_SCALE_TYPE, &scale, sizeof scale);
}
Value cublasLtMatmulDescDestroy(Descriptor product) {
  delete attributes_of(product);
  return cublas::SUCCESS;
}
Value cublasLtMatmulDescSetAttribute(Descriptor product, Value attribute, const void* value,
                                     size_t bytes) {
  return set(product, attribute, value, bytes);
}
Value cublasLtMatmulDescGetAttribute(Descriptor product, Value attribute, void* value, size_t bytes,
                                     size_t* written) {
  return get(BYTES_OF_PRODUCT, product, attribute, value, bytes, written);
}
Value cublasLtMatrixLayoutCreate(Descriptor* layout, Value type, uint64_t rows, uint64_t cols,
                                 int64_t ld) {
  *layout = new Attributes;
  set(*layout, cublas::LAYOUT_TYPE, &type, sizeof type);
  set(*layout, cublas::LAYOUT_ROWS, &rows, sizeof rows);
  set(*layout, cublas::LAYOUT_COLS, &cols, sizeof cols);
  return set(*layout, cublas::LAYOUT_LD, &ld, sizeof ld);
}
Value cublasLtMatrixLayoutDestroy(Descriptor layout) {
  delete attributes_of(layout);
  return cublas::SUCCESS;
}
Value cublasLtMatrixLayoutSetAttribute(Descriptor layout, Value attribute, const void* value,
                                       size_t bytes) {
  return set(layout, attribute, value, bytes);
}
Value cublasLtMatrixLayoutGetAttribute(Descriptor layout, Value attribute, void* value,
                                       size_t bytes, size_t* written) {
  return get(BYTES_OF_LAYOUT, layout, attribute, value, bytes, written);
}

Value cublasLtMatmul(Handle handle, Descriptor product, const void* alpha, const void* A,
                     Descriptor layout_a, const void* B, Descriptor layout_b, const void* beta,
                     const void* C, Descriptor layout_c, void* D, Descriptor layout_d,
                     const void* /*algo*/, void* /*workspace*/, size_t /*workspace_bytes*/,
                     cudaStream_t stream) {
  calls.add(__func__);
  if (handle == nullptr || product == nullptr || layout_a == nullptr) return cublas::INVALID_VALUE;
  if (cudaStreamSynchronize(stream) != cudaSuccess) return cublas::EXECUTION_FAILED;
  const Attributes& p = *attributes_of(product);
  const Matrix a{attributes_of(layout_a), static_cast<const float*>(A)};
  const Matrix b{attributes_of(layout_b), static_cast<const float*>(B)};
  const Matrix c{attributes_of(layout_c), static_cast<const float*>(C)};
  const Matrix d{attributes_of(layout_d), static_cast<const float*>(D)};
  const bool trans_a = p.get<int32_t>(cublas::LT_TRANS_A, 0) != cublas::OP_N;
  const bool trans_b = p.get<int32_t>(cublas::LT_TRANS_B, 0) != cublas::OP_N;
  const auto epilogue = p.get<uint32_t>(cublas::LT_EPILOGUE, cublas::EPILOGUE_DEFAULT);
  const auto* bias = p.get<const float*>(cublas::LT_BIAS_POINTER, nullptr);
  const auto stride_bias = p.get<int64_t>(cublas::LT_BIAS_BATCH_STRIDE, 0);
  const auto rows = d.layout->get<uint64_t>(cublas::LAYOUT_ROWS, 0);
  const auto cols = d.layout->get<uint64_t>(cublas::LAYOUT_COLS, 0);
  const auto k = a.layout->get<uint64_t>(trans_a ? cublas::LAYOUT_ROWS : cublas::LAYOUT_COLS, 0);
  const double factor = double{*static_cast<const float*>(alpha)};
  const double share = double{*static_cast<const float*>(beta)};
  for (int64_t i = 0; i < d.layout->get<int32_t>(cublas::LAYOUT_BATCH_COUNT, 1); ++i) {
    for (uint64_t row = 0; row < rows; ++row) {
      for (uint64_t col = 0; col < cols; ++col) {
        double x = 0;
        for (uint64_t l = 0; l < k; ++l)
          x += double{trans_a ? *a.at(l, row, i) : *a.at(row, l, i)} *
               double{trans_b ? *b.at(col, l, i) : *b.at(l, col, i)};
        x *= factor;
        if (share != 0) x += share * double{*c.at(row, col, i)};
        if ((epilogue & cublas::EPILOGUE_BIAS) != 0 && bias != nullptr)
          x += double{bias[static_cast<int64_t>(row) + i * stride_bias]};
        *const_cast<float*>(d.at(row, col, i)) = static_cast<float>(activated(epilogue, x));
      }
    }
  }
  return cublas::SUCCESS;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
