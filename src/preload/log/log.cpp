#include "preload/log/log.hpp"

#include <pthread.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "preload/choose/settings.hpp"
#include "preload/log/report.hpp"

namespace preload {
namespace {

LoggedShape shape_of(const char* entry, const Request& r, Verdict verdict) {
  return {.entry = entry,
          .m = r.m,
          .n = r.n,
          .k = r.k,
          .transposes_a = r.trans_a != cublas::OP_N,
          .transposes_b = r.trans_b != cublas::OP_N,
          .batch = r.batch,
          .verdict = verdict};
}

bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status{};
  return cudaStreamIsCapturing(stream, &status) != cudaSuccess ||
         status != cudaStreamCaptureStatusNone;
}

}  // namespace

Log* Log::of_process() {
  // Never destroyed: calls may come while the process ends.
  static Log* const log = settings().has_log ? new Log : nullptr;
  return log;
}

Log::Log() {
  // CUDA has begun by the first call, so this runs before CUDA ends.
  std::atexit(print_at_exit);
  pthread_atfork([] { of_process()->mutex_.lock(); }, [] { of_process()->mutex_.unlock(); },
                 [] {
                   Log& log = *of_process();
                   log.totals_.clear();
                   log.pending_.clear();  // the events are the parent's
                   log.mutex_.unlock();
                 });
}

void Log::add(const char* entry, const Request& r, Verdict verdict) {
  const std::lock_guard lock(mutex_);
  ++totals_[shape_of(entry, r, verdict)].calls;
}

// Adds the times of calls that have ended, the oldest first, until few are left. Needs the mutex.
void Log::collect(size_t most_pending) {
  while (pending_.size() > most_pending) {
    const Pending oldest = pending_.front();
    pending_.pop_front();
    float ms = 0;
    if (cudaEventSynchronize(oldest.end) == cudaSuccess &&
        cudaEventElapsedTime(&ms, oldest.begin, oldest.end) == cudaSuccess) {
      LoggedTotals& totals = totals_[oldest.shape];
      ++totals.timed;
      totals.ms += double{ms};
    }
    static_cast<void>(cudaEventDestroy(oldest.begin));
    static_cast<void>(cudaEventDestroy(oldest.end));
  }
}

Log::Timer::Timer(const char* entry, const Request& r) : log_(of_process()), stream_(r.stream) {
  if (log_ == nullptr || is_captured(stream_)) return;
  shape_ = shape_of(entry, r, Verdict::answered);
  if (cudaEventCreate(&begin_) != cudaSuccess) begin_ = nullptr;
  if (begin_ != nullptr) static_cast<void>(cudaEventRecord(begin_, stream_));
}

Log::Timer::~Timer() {
  if (begin_ != nullptr) static_cast<void>(cudaEventDestroy(begin_));
}

void Log::Timer::stop() {
  if (begin_ == nullptr) return;
  cudaEvent_t end = nullptr;
  if (cudaEventCreate(&end) != cudaSuccess) return;
  static_cast<void>(cudaEventRecord(end, stream_));
  const std::lock_guard lock(log_->mutex_);
  log_->pending_.push_back({shape_, std::exchange(begin_, nullptr), end});
  constexpr size_t MOST_PENDING = 4096;
  log_->collect(MOST_PENDING);
}

void Log::print_at_exit() { of_process()->print(); }

void Log::print() {
  const std::lock_guard lock(mutex_);
  collect(0);
  if (totals_.empty()) return;  // a process that computes nothing, or a child
  std::vector<results::LoggedCalls> calls;
  calls.reserve(totals_.size());
  for (const auto& [shape, totals] : totals_) calls.push_back(calls_of(shape, totals));
  report(std::move(calls), settings().log_file);
}

}  // namespace preload
