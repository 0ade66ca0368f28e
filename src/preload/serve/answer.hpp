// Answers a call with the ladder, or says why cuBLAS should compute it.
#pragma once

#include <optional>

#include "preload/choose/decision.hpp"
#include "preload/choose/request.hpp"
#include "preload/cublas/real_library.hpp"
#include "preload/log/log.hpp"

namespace preload {

/// What became of a call. Without a status, cuBLAS computes it.
struct Answer {
  Verdict verdict;
  std::optional<cublas::Value> status{};
};

/// True if the product is so small that it is cuBLAS's in any case. It needs only the sizes.
bool is_left_for_size(const Request& r);

/// True if the call is cuBLAS's because it allows less than FP32's accuracy. It needs only allows_reduced.
bool is_left_for_accuracy(const Request& r);

/// Returns Verdict::answered, or why the call is cuBLAS's whatever state its handle is in. It is cheaper
/// than to read that state.
Verdict verdict_without_state(const Request& r);

/// Computes a complete request with the ladder if it should be faster there. Needs verdict_without_state(r) == Verdict::answered.
Answer compute(const char* entry, const Request& r);

/// Serves a call of the program: answers it or forwards it, and logs it. `complete(r)` adds what the handle and descriptors say to the
/// request, and returns Verdict::answered, or why it is not for the ladder. `forward()` calls cuBLAS and returns its status.
template <typename COMPLETE, typename FORWARD>
cublas::Value serve(const char* entry, Request& r, const COMPLETE& complete,
                    const FORWARD& forward) {
  if (InsideCublas::is_inside()) return forward();
  Answer answer{complete(r)};
  if (answer.verdict == Verdict::answered) answer = compute(entry, r);
  if (Log* log = Log::of_process(); log != nullptr) log->add(entry, r, answer.verdict);
  return answer.status ? *answer.status : forward();
}

}  // namespace preload
