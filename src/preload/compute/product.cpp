#include "preload/compute/product.hpp"

#include <memory>
#include <optional>

#include "kernels/column_major.hpp"
#include "kernels/tuned/count_workspace.hpp"
#include "kernels/tuned/stream_workspace.hpp"
#include "kernels/tuned/workspace_scope.hpp"
#include "preload/compute/kernels.hpp"

namespace preload {
namespace {

using ladder::Call, ladder::Op, ladder::Rung, ladder::Sgemm, ladder::StreamWorkspace,
    ladder::WorkspaceScope;

constexpr int64_t FLOAT_BYTES = sizeof(float);

// How a request becomes a product and perhaps a second kernel.
struct Plan {
  bool
      keeps_product;  // in a workspace: alpha and beta are applied by the second kernel, or it alone knows where C lies
  bool adds_c;  // the second kernel does
  bool has_finish;
};

Plan plan_of(const Request& r) {
  const bool keeps_product = r.has_device_scalars || r.has_pointers();
  const bool adds_c = r.has_device_scalars || ((keeps_product || !r.is_in_place()) && *r.beta != 0);
  return {.keeps_product = keeps_product,
          .adds_c = adds_c,
          .has_finish = r.has_epilogue() || adds_c || keeps_product};
}

// The product of a plan that keeps it: row by row, aligned for vector accesses.
int64_t ld_of_kept(const Sgemm& p) { return device::ceil_div(p.N, 4) * 4; }
int64_t floats_of_kept(const Call& call) {
  return call.batch * call.product.M * ld_of_kept(call.product);
}

Call call_into(const Request& r, const Plan& plan, float* kept) {
  Call call = call_of(r);
  Sgemm& p = call.product;
  if (plan.keeps_product) {
    p.C = kept;
    p.ldc = ld_of_kept(p);
    call.stride_c = r.batch == 1 ? 0 : p.M * p.ldc;
    return call;
  }
  p.alpha = *r.alpha;
  p.beta = plan.adds_c ? 0 : *r.beta;
  return call;
}

Finish finish_of(const Request& r, const Plan& plan, const Call& call) {
  const Sgemm& p = call.product;
  Finish f{.M = p.M,
           .N = p.N,
           .batch = call.batch,
           .alpha = {},
           .product = p.C,
           .ld_product = p.ldc,
           .stride_product = call.stride_c,
           .beta = {.value = 0},
           .C = r.C,
           .ldc = r.ldc,
           .stride_c = r.stride_c,
           .D = r.D,
           .ldd = r.ldd,
           .stride_d = r.stride_d,
           .results = r.pointers.C,
           .bias = r.bias,
           .is_bias_of_rows = r.is_row_major,
           .stride_bias = r.stride_bias,
           .activation = r.activation};
  if (r.has_device_scalars) f.alpha.on_device = r.alpha;
  if (plan.keeps_product && !r.has_device_scalars) f.alpha.value = *r.alpha;
  if (plan.adds_c && r.has_device_scalars) f.beta.on_device = r.beta;
  if (plan.adds_c && !r.has_device_scalars) f.beta.value = *r.beta;
  return f;
}

// The matrices of a batch of pointers, gathered: each line begins at a multiple of four floats.
struct Gathered {
  Lines a, b;
  int64_t lda, ldb, batch;

  explicit Gathered(const Request& r)
      : a(lines_of_a(r)),
        b(lines_of_b(r)),
        lda(device::ceil_div(a.length, 4) * 4),
        ldb(device::ceil_div(b.length, 4) * 4),
        batch(r.batch) {}

  int64_t floats_of_a() const { return batch * a.count * lda; }
  int64_t floats_of_b() const { return batch * b.count * ldb; }
};

// Returns the request with the factors at these places, and no pointers.
Request gathered_at(const Request& r, const float* a, const float* b) {
  const Gathered g(r);
  Request dense = r;
  dense.pointers = {};
  dense.A = a;
  dense.lda = g.lda;
  dense.stride_a = g.a.count * g.lda;
  dense.B = b;
  dense.ldb = g.ldb;
  dense.stride_b = g.b.count * g.ldb;
  return dense;
}

cudaError_t gather(const Request& r, float* a, float* b) {
  const Gathered g(r);
  const Factor alpha{.on_device = r.has_device_scalars ? r.alpha : nullptr};
  const auto gather_one = [&](const Lines& x, const float* const* from, int64_t ld, float* to,
                              int64_t ld_to) {
    return launch_gather({.length = x.length,
                          .count = x.count,
                          .batch = g.batch,
                          .alpha = alpha,
                          .from = from,
                          .ld = ld,
                          .to = to,
                          .ld_to = ld_to},
                         r.stream);
  };
  const cudaError_t error = gather_one(g.a, r.pointers.A, r.lda, a, g.lda);
  return error == cudaSuccess ? gather_one(g.b, r.pointers.B, r.ldb, b, g.ldb) : error;
}

// Memory of this alignment, for requests that only count.
float* aligned_place() { return reinterpret_cast<float*>(uintptr_t{WorkspaceScope::ALIGNMENT}); }

// The bytes of all intermediate results.
cudaError_t count_all(const Request& r, const Plan& plan, const Rung& rung, int64_t* bytes) {
  const Call call = call_into(r, plan, aligned_place());
  const cudaError_t error = ladder::count_workspace(rung, call, bytes);
  if (!plan.keeps_product) return error;
  constexpr int64_t ALIGNMENT = WorkspaceScope::ALIGNMENT;
  *bytes += device::ceil_div(floats_of_kept(call) * FLOAT_BYTES, ALIGNMENT) * ALIGNMENT;
  return error;
}

bool is_lendable(const void* memory) {
  return memory != nullptr && reinterpret_cast<uintptr_t>(memory) % WorkspaceScope::ALIGNMENT == 0;
}

// The intermediate results of one request, all taken before its first kernel is launched: if memory lacks, nothing has been changed.
class Memory {
 public:
  Memory(const Request& r, const Plan& plan, const Rung& rung) {
    const bool is_lent = is_lendable(r.workspace);
    // A single product takes its workspace before its first kernel itself.
    if (!is_lent && !plan.keeps_product && r.batch == 1) return;
    int64_t bytes = 0;
    error_ = count_all(r, plan, rung, &bytes);
    if (error_ != cudaSuccess || bytes == 0) return;
    if (is_lent && static_cast<size_t>(bytes) <= r.workspace_bytes) {
      scope_ = std::make_unique<WorkspaceScope>(r.workspace, bytes);
      return;
    }
    pooled_.emplace(bytes / FLOAT_BYTES, r.stream);
    error_ = pooled_->error();
    if (error_ == cudaSuccess) scope_ = std::make_unique<WorkspaceScope>(pooled_->data(), bytes);
  }

  cudaError_t error() const { return error_; }

 private:
  cudaError_t error_ = cudaSuccess;
  std::optional<StreamWorkspace> pooled_;
  // On the heap, because GCC 12 takes the thread's pointer to it for a dangling one.
  std::unique_ptr<WorkspaceScope> scope_;
};

}  // namespace

Call call_of(const Request& r) {
  if (r.has_pointers()) return call_of(gathered_at(r, aligned_place(), aligned_place()));
  const auto op = [](cublas::Value trans) {
    return trans == cublas::OP_N ? Op::none : Op::transpose;
  };
  Call call(Sgemm{.M = r.m,
                  .N = r.n,
                  .K = r.k,
                  .alpha = 1,
                  .A = r.A,
                  .lda = r.lda,
                  .B = r.B,
                  .ldb = r.ldb,
                  .beta = 0,
                  .C = r.D,
                  .ldc = r.ldd,
                  .op_a = op(r.trans_a),
                  .op_b = op(r.trans_b)});
  if (r.batch > 1) {
    call.batch = r.batch;
    call.stride_a = r.stride_a;
    call.stride_b = r.stride_b;
    call.stride_c = r.stride_d;
  }
  return r.is_row_major ? call : ladder::by_rows(call);
}

Beside beside_of(const Request& r) {
  const Plan plan = plan_of(r);
  Beside beside;
  if (plan.has_finish) {
    const int64_t passes = plan.adds_c ? 3 : 2;
    beside = {.kernels = 1, .bytes = passes * r.m * r.n * r.batch * FLOAT_BYTES};
  }
  if (r.has_pointers()) {
    beside.kernels += 2;
    beside.bytes += 2 * (r.m + r.n) * r.k * r.batch * FLOAT_BYTES;
  }
  return beside;
}

namespace {

// Launches a request without pointers, or one whose factors were gathered: then `given` still has the pointer to the results.
Launch launch_gathered(const Request& r, const Request& given, const Rung& rung) {
  const Plan plan = plan_of(given);
  const Memory memory(r, plan, rung);
  if (memory.error() != cudaSuccess) return Launch::refused;

  std::optional<StreamWorkspace> kept;
  if (plan.keeps_product) {
    kept.emplace(floats_of_kept(call_of(r)), r.stream);
    if (kept->error() != cudaSuccess) return Launch::refused;
  }
  const Call call = call_into(r, plan, kept ? kept->data() : nullptr);
  if (ladder::launch(rung, call, r.stream) != cudaSuccess) return Launch::refused;
  if (!plan.has_finish) return Launch::done;
  if (launch_finish(finish_of(given, plan, call), r.stream) == cudaSuccess) return Launch::done;
  const bool has_changed_c = !plan.keeps_product && r.is_in_place() && *r.beta != 0;
  return has_changed_c ? Launch::broken : Launch::refused;
}

}  // namespace

Launch launch(const Request& r, const Rung& rung) {
  if (!r.has_pointers()) return launch_gathered(r, r, rung);
  const Gathered g(r);
  const StreamWorkspace a(g.floats_of_a(), r.stream), b(g.floats_of_b(), r.stream);
  if (a.error() != cudaSuccess || b.error() != cudaSuccess) return Launch::refused;
  if (gather(r, a.data(), b.data()) != cudaSuccess) return Launch::refused;
  return launch_gathered(gathered_at(r, a.data(), b.data()), r, rung);
}

}  // namespace preload
