// The function of libcublasLt.so that the preloaded library stands in front of.
#include "preload/choose/settings.hpp"
#include "preload/cublas/compute_type.hpp"
#include "preload/cublas/real_library.hpp"
#include "preload/serve/answer.hpp"

namespace preload {
namespace {

using cublas::Descriptor, cublas::Handle, cublas::Value;

constexpr Library LT = Library::cublas_lt;

Real<cublas::LtGetAttribute> get_of_product(LT, "cublasLtMatmulDescGetAttribute");
Real<cublas::LtGetAttribute> get_of_layout(LT, "cublasLtMatrixLayoutGetAttribute");
Real<cublas::LtMatmul> real_matmul(LT, "cublasLtMatmul");

// Reads an attribute. Without it the value stays.
template <typename T>
bool read(Real<cublas::LtGetAttribute>& get, Descriptor of, Value attribute, T* value) {
  size_t written = 0;
  T read{};
  if (of == nullptr ||
      get(of, attribute, static_cast<void*>(&read), sizeof read, &written) != cublas::SUCCESS)
    return false;
  *value = read;
  return true;
}

// A matrix's layout.
struct Layout {
  uint32_t type = 0;
  int32_t order = cublas::ORDER_COL, batch = 1;
  uint64_t rows = 0, cols = 0;
  int64_t ld = 0, stride = 0;
  uint32_t batch_mode = cublas::BATCH_STRIDED;  // older versions have no other

  bool read_size_from(Descriptor d) {
    return read(get_of_layout, d, cublas::LAYOUT_ROWS, &rows) &&
           read(get_of_layout, d, cublas::LAYOUT_COLS, &cols) &&
           read(get_of_layout, d, cublas::LAYOUT_BATCH_COUNT, &batch);
  }
  bool read_from(Descriptor d) {
    static_cast<void>(read(get_of_layout, d, cublas::LAYOUT_BATCH_MODE, &batch_mode));
    return read_size_from(d) && read(get_of_layout, d, cublas::LAYOUT_TYPE, &type) &&
           read(get_of_layout, d, cublas::LAYOUT_ORDER, &order) &&
           read(get_of_layout, d, cublas::LAYOUT_LD, &ld) &&
           read(get_of_layout, d, cublas::LAYOUT_STRIDE, &stride);
  }
  bool has_size(uint64_t r, uint64_t c) const { return rows == r && cols == c; }
  bool has_size(Value trans, uint64_t r, uint64_t c) const {
    return trans == cublas::OP_N ? has_size(r, c) : has_size(c, r);
  }
};

// What a call passes.
struct Call {
  Descriptor product, layout_a, layout_b, layout_c, layout_d;
  const void *alpha, *A, *B, *beta, *C;
  void* D;
  void* workspace;
  size_t workspace_bytes;
  cudaStream_t stream;
};

// True if the product has only properties that the ladder has, too.
bool is_plain(Descriptor d) {
  int32_t trans_c = cublas::OP_N, fill = cublas::FILL_FULL, multiprocessors = 0;
  static_cast<void>(read(get_of_product, d, cublas::LT_TRANS_C, &trans_c));
  static_cast<void>(read(get_of_product, d, cublas::LT_FILL_MODE, &fill));
  static_cast<void>(read(get_of_product, d, cublas::LT_SM_COUNT_TARGET, &multiprocessors));
  if (trans_c != cublas::OP_N || fill != cublas::FILL_FULL || multiprocessors != 0) return false;
  for (const Value scale :
       {cublas::LT_A_SCALE_POINTER, cublas::LT_B_SCALE_POINTER, cublas::LT_C_SCALE_POINTER,
        cublas::LT_D_SCALE_POINTER, cublas::LT_AMAX_D_POINTER}) {
    const void* pointer = nullptr;
    static_cast<void>(read(get_of_product, d, scale, &pointer));
    if (pointer != nullptr) return false;
  }
  return true;
}

// Adds the product's epilogue to the request. Returns false if the ladder lacks it.
bool read_epilogue(Descriptor d, Request& r) {
  uint32_t epilogue = cublas::EPILOGUE_DEFAULT;
  static_cast<void>(read(get_of_product, d, cublas::LT_EPILOGUE, &epilogue));
  bool has_bias = false;
  switch (static_cast<Value>(epilogue)) {
    case cublas::EPILOGUE_DEFAULT:
      return true;
    case cublas::EPILOGUE_BIAS:
      has_bias = true;
      break;
    case cublas::EPILOGUE_RELU_BIAS:
      has_bias = true;
      r.activation = Activation::relu;
      break;
    case cublas::EPILOGUE_RELU:
      r.activation = Activation::relu;
      break;
    case cublas::EPILOGUE_GELU_BIAS:
      has_bias = true;
      r.activation = Activation::gelu;
      break;
    case cublas::EPILOGUE_GELU:
      r.activation = Activation::gelu;
      break;
    default:
      return false;
  }
  if (!has_bias) return true;
  constexpr int32_t SAME_AS_D = -1;
  int32_t type = SAME_AS_D;
  const void* bias = nullptr;
  static_cast<void>(read(get_of_product, d, cublas::LT_BIAS_DATA_TYPE, &type));
  static_cast<void>(read(get_of_product, d, cublas::LT_BIAS_POINTER, &bias));
  static_cast<void>(read(get_of_product, d, cublas::LT_BIAS_BATCH_STRIDE, &r.stride_bias));
  r.bias = static_cast<const float*>(bias);
  return bias != nullptr && (type == SAME_AS_D || type == cublas::REAL_32F);
}

// Adds the types' accuracy to the request. Returns false if they are not FP32's.
bool read_types(Descriptor d, Request& r) {
  int32_t compute = 0, scale = 0;
  if (!read(get_of_product, d, cublas::LT_COMPUTE_TYPE, &compute) ||
      !read(get_of_product, d, cublas::LT_SCALE_TYPE, &scale) || scale != cublas::REAL_32F)
    return false;
  const auto accuracy = accuracy_of(compute);
  r.allows_reduced = accuracy == Accuracy::reduced;
  return accuracy.has_value();
}

// Reads the sizes of the product. Returns false if a descriptor is none.
bool read_sizes(const Call& call, Request& r) {
  Layout a, d;
  if (!a.read_size_from(call.layout_a) || !d.read_size_from(call.layout_d) ||
      !read(get_of_product, call.product, cublas::LT_TRANS_A, &r.trans_a) ||
      !read(get_of_product, call.product, cublas::LT_TRANS_B, &r.trans_b))
    return false;
  r.m = static_cast<int64_t>(d.rows);
  r.n = static_cast<int64_t>(d.cols);
  r.k = static_cast<int64_t>(r.trans_a == cublas::OP_N ? a.cols : a.rows);
  r.batch = d.batch;
  return true;
}

// Completes the request from the descriptors. Returns Verdict::answered, or why it is cuBLAS's.
Verdict complete(const Call& call, Request& r) {
  if (settings().mode == Mode::off) return Verdict::off;
  if (!read_sizes(call, r)) return Verdict::arguments;
  if (is_left_for_size(r)) return Verdict::cublas_faster;
  Layout a, b, c, d;
  int32_t pointers = cublas::POINTERS_TO_HOST;
  if (!a.read_from(call.layout_a) || !b.read_from(call.layout_b) || !c.read_from(call.layout_c) ||
      !d.read_from(call.layout_d) ||
      !read(get_of_product, call.product, cublas::LT_POINTER_MODE, &pointers))
    return Verdict::arguments;
  for (const Layout* x : {&a, &b, &c, &d}) {
    if (x->type != static_cast<uint32_t>(cublas::REAL_32F)) return Verdict::not_fp32;
    const bool is_known = x->order == cublas::ORDER_COL || x->order == cublas::ORDER_ROW;
    if (!is_known || x->order != d.order || x->batch != d.batch ||
        x->batch_mode != static_cast<uint32_t>(cublas::BATCH_STRIDED))
      return Verdict::layout;
  }
  if (!read_types(call.product, r)) return Verdict::not_fp32;
  if (pointers != cublas::POINTERS_TO_HOST && pointers != cublas::POINTERS_TO_DEVICE)
    return Verdict::layout;
  if (!is_plain(call.product)) return Verdict::layout;
  if (!read_epilogue(call.product, r)) return Verdict::epilogue;
  r.is_row_major = d.order == cublas::ORDER_ROW;
  if (r.is_row_major && r.bias != nullptr) return Verdict::epilogue;  // cuBLAS may refuse it
  const auto k = static_cast<uint64_t>(r.k);
  if (!a.has_size(r.trans_a, d.rows, k) || !b.has_size(r.trans_b, k, d.cols) ||
      !c.has_size(d.rows, d.cols))
    return Verdict::arguments;

  r.has_device_scalars = pointers == cublas::POINTERS_TO_DEVICE;
  r.alpha = static_cast<const float*>(call.alpha);
  r.beta = static_cast<const float*>(call.beta);
  r.A = static_cast<const float*>(call.A);
  r.lda = a.ld;
  r.stride_a = a.stride;
  r.B = static_cast<const float*>(call.B);
  r.ldb = b.ld;
  r.stride_b = b.stride;
  r.D = static_cast<float*>(call.D);
  r.ldd = d.ld;
  r.stride_d = d.stride;
  // If beta is 0, C is not read and may be null.
  const bool has_c = r.has_device_scalars || r.beta == nullptr || *r.beta != 0;
  r.C = has_c ? static_cast<const float*>(call.C) : r.D;
  r.ldc = has_c ? c.ld : d.ld;
  r.stride_c = has_c ? c.stride : d.stride;
  r.stream = call.stream;
  r.workspace = call.workspace;
  r.workspace_bytes = call.workspace_bytes;
  return verdict_without_state(r);
}

}  // namespace
}  // namespace preload

// The name is cuBLAS's. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" __attribute__((visibility("default"))) preload::Value cublasLtMatmul(
    preload::Handle handle, preload::Descriptor product, const void* alpha, const void* A,
    preload::Descriptor layout_a, const void* B, preload::Descriptor layout_b, const void* beta,
    const void* C, preload::Descriptor layout_c, void* D, preload::Descriptor layout_d,
    const void* algo, void* workspace, size_t workspace_bytes, cudaStream_t stream) {
  using namespace preload;
  const Call call{product, layout_a, layout_b, layout_c, layout_d,  alpha,           A,
                  B,       beta,     C,        D,        workspace, workspace_bytes, stream};
  Request r;
  return serve(
      real_matmul.name(), r, [&](Request& request) { return complete(call, request); },
      [&] {
        return real_matmul(handle, product, alpha, A, layout_a, B, layout_b, beta, C, layout_c, D,
                           layout_d, algo, workspace, workspace_bytes, stream);
      });
}
