#include "preload/serve/answer.hpp"

#include <array>
#include <atomic>

#include "device/architecture.hpp"
#include "kernels/best/best.hpp"
#include "kernels/tuned/last_results.hpp"
#include "preload/choose/settings.hpp"
#include "preload/compute/product.hpp"

namespace preload {
namespace {

using ladder::Gpu;

// Describes the current device. A description stays for as long as the process runs. The program's own error stays pending.
bool describe_current_gpu(Gpu* gpu) {
  constexpr size_t MOST = 64;
  const PendingError pending;
  static std::array<std::atomic<const Gpu*>, MOST> known{};
  int id = 0;
  if (cudaGetDevice(&id) != cudaSuccess) return false;
  const auto place = static_cast<size_t>(id);
  if (place < MOST) {
    const Gpu* const there = known[place].load(std::memory_order_acquire);
    if (there != nullptr) {
      *gpu = *there;
      return true;
    }
  }
  if (describe_gpu(gpu) != cudaSuccess) return false;
  const Gpu* nobody = nullptr;
  if (place < MOST) {
    const auto* mine = new Gpu(*gpu);
    if (!known[place].compare_exchange_strong(nobody, mine)) delete mine;
  }
  return true;
}

struct Key : Question {
  explicit Key(const Question& q) : Question(q) {}
  Key() : Question{} {}
  uint64_t hash() const {
    return ladder::hash_of(shape.M, shape.N, shape.K, batch, beside.kernels, beside.bytes,
                           allows_reduced);
  }
  bool operator==(const Key&) const = default;
};

// Decides as decide() does, and remembers what it decided.
Decision remembered_decision(const Question& question) {
  thread_local ladder::LastResults<Key, Decision> last;
  return last.of(Key(question), [&] { return decide(question, settings().mode); });
}

const ladder::Rung& rung_of(const Decision& decision) {
  return decision.rung == Decision::BEST ? ladder::best : ladder::rung_with(decision.rung);
}

// Returns Verdict::answered, or why the call is cuBLAS's even if it needs FP32's accuracy and no kernel beside the product's.
Verdict verdict_on_bare_product(const Request& r) {
  Gpu gpu{};
  if (!describe_current_gpu(&gpu)) return Verdict::failed;
  const ladder::Call call = call_of(r);
  return remembered_decision({.shape = shape_of(call),
                              .batch = call.batch,
                              .gpu = gpu,
                              .has_wgmma = device::BUILT_WITH_WGMMA,
                              .allows_reduced = false})
      .verdict;
}

bool is_empty(const Request& r) { return r.m == 0 || r.n == 0 || r.k == 0 || r.batch == 0; }

}  // namespace

bool is_left_for_size(const Request& r) {
  return settings().mode == Mode::automatic && is_small(r.m, r.n, r.k, r.batch);
}

Verdict verdict_without_state(const Request& r) {
  if (settings().mode == Mode::off) return Verdict::off;
  if (!is_well_formed(r)) return is_empty(r) ? Verdict::no_product : Verdict::arguments;
  if (is_left_for_size(r)) return Verdict::cublas_faster;
  return settings().mode == Mode::automatic ? verdict_on_bare_product(r) : Verdict::answered;
}

bool is_left_for_accuracy(const Request& r) {
  return settings().mode == Mode::automatic && r.allows_reduced;
}

Answer compute(const char* entry, const Request& r) {
  if (!r.has_device_scalars && *r.alpha == 0) return {Verdict::no_product};
  // The program's own error stays pending, and none of ours does.
  const PendingError pending;
  Gpu gpu{};
  if (!describe_current_gpu(&gpu)) return {Verdict::failed};
  const ladder::Call call = call_of(r);
  const Decision decision = remembered_decision({.shape = shape_of(call),
                                                 .batch = call.batch,
                                                 .gpu = gpu,
                                                 .has_wgmma = device::BUILT_WITH_WGMMA,
                                                 .allows_reduced = r.allows_reduced,
                                                 .beside = beside_of(r)});
  if (decision.verdict != Verdict::answered) return {decision.verdict};

  Log::Timer timer(entry, r);
  switch (launch(r, rung_of(decision))) {
    case Launch::done:
      timer.stop();
      return {Verdict::answered, cublas::SUCCESS};
    case Launch::refused:
      return {Verdict::failed};
    case Launch::broken:
      break;
  }
  return {Verdict::failed, cublas::EXECUTION_FAILED};
}

}  // namespace preload
