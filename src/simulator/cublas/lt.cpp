// cuBLASLt's products.
#include <cublasLt.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <optional>

#include "simulator/cublas/product_types.hpp"
#include "simulator/cublas/request.hpp"

namespace simulator::cublas {
namespace {

// What the opaque structures hold.
struct Layout {
  cudaDataType type = CUDA_R_32F;
  int32_t order = CUBLASLT_ORDER_COL;
  uint64_t rows = 0, columns = 0;
  int64_t ld = 0;
  int32_t batch = 1;
  int64_t stride = 0;

  bool is_by_rows() const { return order == CUBLASLT_ORDER_ROW; }
  bool is_valid() const {
    const uint64_t least = std::max<uint64_t>(is_by_rows() ? columns : rows, 1);
    return (order == CUBLASLT_ORDER_COL || order == CUBLASLT_ORDER_ROW) && ld > 0 &&
           static_cast<uint64_t>(ld) >= least && batch > 0 && stride >= 0;
  }
  // The elements from the first to past the last of all matrices.
  size_t span() const {
    if (rows == 0 || columns == 0) return 0;
    const uint64_t lines = is_by_rows() ? rows : columns, length = is_by_rows() ? columns : rows;
    return static_cast<size_t>((lines - 1) * static_cast<uint64_t>(ld) + length +
                               static_cast<uint64_t>(batch - 1) * static_cast<uint64_t>(stride));
  }
};
static_assert(sizeof(Layout) <= sizeof(cublasLtMatrixLayoutOpaque_t));

struct Desc {
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cudaDataType scale = CUDA_R_32F;
  int32_t pointer_mode = CUBLASLT_POINTER_MODE_HOST;
  int32_t transa = CUBLAS_OP_N, transb = CUBLAS_OP_N, transc = CUBLAS_OP_N;
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;
  int64_t bias_stride = 0;
  int32_t bias_type = -1;  // -1: that of D
  void* aux = nullptr;
  int64_t aux_ld = 0, aux_stride = 0;
  int32_t aux_type = -1;
  int32_t multiprocessors = 0;
  int8_t is_fast = 0;
  const void *scale_a = nullptr, *scale_b = nullptr, *scale_c = nullptr, *scale_d = nullptr;
  void* largest_d = nullptr;

  bool has(uint32_t part) const { return (epilogue & part) != 0; }
};
static_assert(sizeof(Desc) <= sizeof(cublasLtMatmulDescOpaque_t));

template <typename Held, typename Opaque>
Held held_by(const Opaque* opaque) {
  Held held;
  std::memcpy(&held, opaque, sizeof held);
  return held;
}
template <typename Held, typename Opaque>
void hold(Opaque* opaque, const Held& held) {
  std::memcpy(opaque, &held, sizeof held);
}

// An attribute's place in what an opaque structure holds.
struct Place {
  void* at = nullptr;
  size_t bytes = 0;

  Place() = default;
  template <typename T>
  explicit Place(T& member) : at(&member), bytes(sizeof member) {}
};

Place place_of(Layout& layout, cublasLtMatrixLayoutAttribute_t attribute) {
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE:
      return Place(layout.type);
    case CUBLASLT_MATRIX_LAYOUT_ORDER:
      return Place(layout.order);
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
      return Place(layout.rows);
    case CUBLASLT_MATRIX_LAYOUT_COLS:
      return Place(layout.columns);
    case CUBLASLT_MATRIX_LAYOUT_LD:
      return Place(layout.ld);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return Place(layout.batch);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return Place(layout.stride);
  }
  return {};
}

Place place_of(Desc& desc, cublasLtMatmulDescAttributes_t attribute) {
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE:
      return Place(desc.compute);
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE:
      return Place(desc.scale);
    case CUBLASLT_MATMUL_DESC_POINTER_MODE:
      return Place(desc.pointer_mode);
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return Place(desc.transa);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return Place(desc.transb);
    case CUBLASLT_MATMUL_DESC_TRANSC:
      return Place(desc.transc);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return Place(desc.epilogue);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return Place(desc.bias);
    case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE:
      return Place(desc.bias_stride);
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
      return Place(desc.bias_type);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER:
      return Place(desc.aux);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD:
      return Place(desc.aux_ld);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE:
      return Place(desc.aux_stride);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE:
      return Place(desc.aux_type);
    case CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET:
      return Place(desc.multiprocessors);
    case CUBLASLT_MATMUL_DESC_FAST_ACCUM:
      return Place(desc.is_fast);
    case CUBLASLT_MATMUL_DESC_A_SCALE_POINTER:
      return Place(desc.scale_a);
    case CUBLASLT_MATMUL_DESC_B_SCALE_POINTER:
      return Place(desc.scale_b);
    case CUBLASLT_MATMUL_DESC_C_SCALE_POINTER:
      return Place(desc.scale_c);
    case CUBLASLT_MATMUL_DESC_D_SCALE_POINTER:
      return Place(desc.scale_d);
    case CUBLASLT_MATMUL_DESC_AMAX_D_POINTER:
      return Place(desc.largest_d);
  }
  return {};
}

template <typename Held, typename Opaque, typename Attribute>
cublasStatus_t set_attribute(Opaque* opaque, Attribute attribute, const void* value, size_t bytes) {
  if (opaque == nullptr || value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  Held held = held_by<Held>(opaque);
  const Place place = place_of(held, attribute);
  if (place.at == nullptr || bytes != place.bytes) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(place.at, value, bytes);
  hold(opaque, held);
  return CUBLAS_STATUS_SUCCESS;
}

template <typename Held, typename Opaque, typename Attribute>
cublasStatus_t get_attribute(const Opaque* opaque, Attribute attribute, void* value, size_t bytes,
                             size_t* written) {
  if (opaque == nullptr || (bytes == 0) != (value == nullptr)) return CUBLAS_STATUS_INVALID_VALUE;
  Held held = held_by<Held>(opaque);
  const Place place = place_of(held, attribute);
  if (place.at == nullptr || (bytes == 0 && written == nullptr) ||
      (bytes != 0 && bytes != place.bytes))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (bytes != 0) std::memcpy(value, place.at, bytes);
  if (written != nullptr) *written = place.bytes;
  return CUBLAS_STATUS_SUCCESS;
}

template <typename Opaque>
cublasStatus_t create(Opaque** opaque) {
  if (opaque == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *opaque = new (std::nothrow) Opaque{};
  return *opaque == nullptr ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_SUCCESS;
}
template <typename Opaque, typename Held>
cublasStatus_t create(Opaque** opaque, const Held& held) {
  const cublasStatus_t status = create(opaque);
  if (status == CUBLAS_STATUS_SUCCESS) hold(*opaque, held);
  return status;
}
template <typename Opaque>
cublasStatus_t destroy(Opaque* opaque) {
  delete opaque;
  return CUBLAS_STATUS_SUCCESS;
}

// A product that is consistent.
struct Product {
  Desc desc;
  Layout a, b, c, d;

  // Returns the error of a product that makes no sense, or that is not there.
  cublasStatus_t check() const {
    if (!a.is_valid() || !b.is_valid() || !c.is_valid() || !d.is_valid())
      return CUBLAS_STATUS_INVALID_VALUE;
    const bool ta = desc.transa != CUBLAS_OP_N, tb = desc.transb != CUBLAS_OP_N;
    const uint64_t m = ta ? a.columns : a.rows, k = ta ? a.rows : a.columns;
    const uint64_t rows_of_b = tb ? b.columns : b.rows, n = tb ? b.rows : b.columns;
    if (k != rows_of_b || m != d.rows || n != d.columns || c.rows != d.rows ||
        c.columns != d.columns)
      return CUBLAS_STATUS_INVALID_VALUE;
    if (a.type != b.type || c.type != d.type) return CUBLAS_STATUS_INVALID_VALUE;
    if (a.batch != d.batch || b.batch != d.batch || c.batch != d.batch)
      return CUBLAS_STATUS_INVALID_VALUE;
    const bool has_scales = desc.scale_a != nullptr || desc.scale_b != nullptr ||
                            desc.scale_c != nullptr || desc.scale_d != nullptr ||
                            desc.largest_d != nullptr;
    constexpr uint32_t KNOWN =
        CUBLASLT_EPILOGUE_DEFAULT | CUBLASLT_EPILOGUE_RELU | CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
    const bool keeps_relu = desc.has(128) && !desc.has(CUBLASLT_EPILOGUE_GELU);
    if (desc.transc != CUBLAS_OP_N || has_scales || (desc.epilogue & ~KNOWN) != 0 || keeps_relu ||
        (desc.bias_type != -1 && desc.bias_type != d.type) ||
        (desc.aux_type != -1 && desc.aux_type != d.type))
      return CUBLAS_STATUS_NOT_SUPPORTED;
    if (desc.has(CUBLASLT_EPILOGUE_BIAS) && desc.bias == nullptr)
      return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
  }
  // Calls run(In(), Out(), Sum()), if the types are there.
  template <typename Run>
  cublasStatus_t with_types(Run run) const {
    return with_product_types(
        desc.compute, a.type, d.type,
        [&]<typename In, typename Out, typename Sum>(In in, Out out, Sum sum) {
          const cudaDataType own = std::is_same_v<Sum, double>        ? CUDA_R_64F
                                   : std::is_same_v<Sum, int32_t>     ? CUDA_R_32I
                                   : std::is_same_v<Sum, Eigen::half> ? CUDA_R_16F
                                                                      : CUDA_R_32F;
          return desc.scale == own ? run(in, out, sum) : CUBLAS_STATUS_INVALID_VALUE;
        });
  }
};

std::optional<Product> product_of(cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
                                  cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                                  cublasLtMatrixLayout_t d) {
  if (desc == nullptr || a == nullptr || b == nullptr || c == nullptr || d == nullptr)
    return std::nullopt;
  return Product{held_by<Desc>(desc), held_by<Layout>(a), held_by<Layout>(b), held_by<Layout>(c),
                 held_by<Layout>(d)};
}

// One matrix of a batch.
template <typename T>
auto matrix_of(T* data, const Layout& layout, int number) {
  using Of =
      std::conditional_t<std::is_const_v<T>, const Matrix<std::remove_const_t<T>>, Matrix<T>>;
  using Strides = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
  const Strides strides = layout.is_by_rows() ? Strides(1, layout.ld) : Strides(layout.ld, 1);
  return Eigen::Map<Of, 0, Strides>(data + number * layout.stride,
                                    static_cast<Eigen::Index>(layout.rows),
                                    static_cast<Eigen::Index>(layout.columns), strides);
}

// GELU by its approximation with tanh, as cuBLASLt computes it. (D. Hendrycks and K. Gimpel, "Gaussian Error Linear Units", 2016.)
// A device approximates the hyperbolic tangent too.
template <typename Sum>
Sum gelu(Sum value) {
  const float x = static_cast<float>(value);
  const float root = std::sqrt(2 / std::numbers::pi_v<float>);
  return static_cast<Sum>(0.5f * x * (1 + std::tanh(root * (x + 0.044715f * x * x * x))));
}

// A bias has one number for each row of D.
template <typename In, typename Out, typename Sum>
cublasStatus_t multiply(cublasContext& context, const Product& product, const Sum* alpha,
                        const In* a, const In* b, const Sum* beta, const Out* c, Out* d) {
  const Desc& desc = product.desc;
  Request request(context);
  const auto first = request.scalar(alpha);
  const auto second = request.scalar(beta);
  const auto left = request.reads(a, product.a.span(), "A");
  const auto right = request.reads(b, product.b.span(), "B");
  const bool reads_c = desc.pointer_mode == CUBLASLT_POINTER_MODE_DEVICE || *beta != Sum(0);
  const auto addend = request.reads(c, reads_c ? product.c.span() : 0, "C");
  const auto result = request.writes(d, product.d.span(), "D");
  const size_t rows = product.d.rows, last = static_cast<size_t>(product.d.batch - 1);
  const bool has_bias = desc.has(CUBLASLT_EPILOGUE_BIAS), keeps = desc.has(128);
  const auto bias =
      request.reads(static_cast<const Out*>(desc.bias),
                    has_bias ? last * static_cast<size_t>(desc.bias_stride) + rows : 0, "the bias");
  const Layout aux_layout{product.d.type, product.d.order, product.d.rows, product.d.columns,
                          desc.aux_ld,    product.d.batch, desc.aux_stride};
  const auto aux = request.writes(static_cast<Out*>(desc.aux), keeps ? aux_layout.span() : 0,
                                  "the epilogue's copy");
  using Wide = WideSum<Sum>;
  return request.run([=] {
    for (int i = 0; i < product.d.batch; ++i) {
      const Matrix<Wide> of_a = matrix_of(left.data(), product.a, i).template cast<Wide>();
      const Matrix<Wide> of_b = matrix_of(right.data(), product.b, i).template cast<Wide>();
      const bool ta = desc.transa != CUBLAS_OP_N, tb = desc.transb != CUBLAS_OP_N;
      const Matrix<Wide> factor_a = ta ? Matrix<Wide>(of_a.transpose()) : of_a;
      const Matrix<Wide> factor_b = tb ? Matrix<Wide>(of_b.transpose()) : of_b;
      Matrix<Wide> sum = Wide(first.value()) * (factor_a * factor_b);
      if (second.value() != Sum(0))
        sum += Wide(second.value()) * matrix_of(addend.data(), product.c, i).template cast<Wide>();
      if (has_bias) {
        const Eigen::Map<const Vector<Out>> of_rows(bias.data() + i * desc.bias_stride,
                                                    static_cast<Eigen::Index>(rows));
        sum.colwise() += of_rows.template cast<Wide>();
      }
      if (keeps) matrix_of(aux.data(), aux_layout, i) = sum.template cast<Out>();
      if (desc.has(CUBLASLT_EPILOGUE_RELU)) sum = sum.cwiseMax(Wide(0)).eval();
      if (desc.has(CUBLASLT_EPILOGUE_GELU))
        sum = sum.unaryExpr([](Wide x) { return gelu(x); }).eval();
      matrix_of(result.data(), product.d, i) = sum.template cast<Out>();
    }
  });
}

}  // namespace
}  // namespace simulator::cublas

using namespace simulator::cublas;

extern "C" {

// A handle of cuBLAS serves as one of cuBLASLt, as NVIDIA's does.
cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  return cublasCreate_v2(reinterpret_cast<cublasHandle_t*>(handle));
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;  // an H200's answer
  return cublasDestroy_v2(reinterpret_cast<cublasHandle_t>(handle));
}
size_t cublasLtGetVersion(void) { return CUBLAS_VERSION; }

cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t layout, cudaDataType type,
                                        uint64_t rows, uint64_t columns, int64_t ld) {
  if (layout == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  hold(layout, Layout{.type = type, .rows = rows, .columns = columns, .ld = ld});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t ld) {
  return create(layout, Layout{.type = type, .rows = rows, .columns = columns, .ld = ld});
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return destroy(layout);
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value, size_t bytes) {
  return set_attribute<Layout>(layout, attribute, value, bytes);
}
cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                void* value, size_t bytes, size_t* written) {
  return get_attribute<Layout>(layout, attribute, value, bytes, written);
}

cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t desc, cublasComputeType_t compute,
                                      cudaDataType scale) {
  if (desc == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  hold(desc, Desc{.compute = compute, .scale = scale});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc, cublasComputeType_t compute,
                                        cudaDataType scale) {
  return create(desc, Desc{.compute = compute, .scale = scale});
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) { return destroy(desc); }
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t bytes) {
  return set_attribute<Desc>(desc, attribute, value, bytes);
}
cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t desc,
                                              cublasLtMatmulDescAttributes_t attribute, void* value,
                                              size_t bytes, size_t* written) {
  return get_attribute<Desc>(desc, attribute, value, bytes, written);
}

// The host computes without a workspace, so a preference changes nothing.
cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t preference) {
  if (preference == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *preference = {};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  return create(preference);
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return destroy(preference);
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, size_t bytes) {
  const size_t wanted = attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES ||
                                attribute == CUBLASLT_MATMUL_PREF_IMPL_MASK
                            ? sizeof(uint64_t)
                            : sizeof(uint32_t);
  return preference == nullptr || value == nullptr || bytes != wanted ? CUBLAS_STATUS_INVALID_VALUE
                                                                      : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t layout_a,
    cublasLtMatrixLayout_t layout_b, cublasLtMatrixLayout_t layout_c,
    cublasLtMatrixLayout_t layout_d, cublasLtMatmulPreference_t preference, int asked,
    cublasLtMatmulHeuristicResult_t results[], int* returned) {
  if (!is_handle(reinterpret_cast<cublasHandle_t>(handle))) return CUBLAS_STATUS_NOT_INITIALIZED;
  const std::optional<Product> product = product_of(desc, layout_a, layout_b, layout_c, layout_d);
  if (!product || preference == nullptr || asked <= 0 || results == nullptr || returned == nullptr)
    return CUBLAS_STATUS_INVALID_VALUE;
  *returned = 0;
  if (const cublasStatus_t wrong = product->check(); wrong != CUBLAS_STATUS_SUCCESS) return wrong;
  const cublasStatus_t status =
      product->with_types([](auto, auto, auto) { return CUBLAS_STATUS_SUCCESS; });
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  results[0] = {};
  results[0].state = CUBLAS_STATUS_SUCCESS;
  results[0].wavesCount = 1;
  *returned = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t layout_a, const void* b,
                              cublasLtMatrixLayout_t layout_b, const void* beta, const void* c,
                              cublasLtMatrixLayout_t layout_c, void* d,
                              cublasLtMatrixLayout_t layout_d,
                              const cublasLtMatmulAlgo_t* /*algorithm*/, void* /*workspace*/,
                              size_t /*workspace_bytes*/, cudaStream_t stream) {
  return with_handle(
      "cublasLtMatmul", reinterpret_cast<cublasHandle_t>(handle), [&](cublasContext&) {
        const std::optional<Product> product =
            product_of(desc, layout_a, layout_b, layout_c, layout_d);
        if (!product || alpha == nullptr || beta == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
        if (const cublasStatus_t wrong = product->check(); wrong != CUBLAS_STATUS_SUCCESS)
          return wrong;
        cublasContext context{
            .stream = stream,
            .pointer_mode = static_cast<cublasPointerMode_t>(product->desc.pointer_mode)};
        return product->with_types([&]<typename In, typename Out, typename Sum>(In, Out, Sum) {
          return multiply(context, *product, static_cast<const Sum*>(alpha),
                          static_cast<const In*>(a), static_cast<const In*>(b),
                          static_cast<const Sum*>(beta), static_cast<const Out*>(c),
                          static_cast<Out*>(d));
        });
      });
}

}  // extern "C"
