#include "runner/verify/lab_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>

#include "app/interrupt.hpp"
#include "app/parallel.hpp"
#include "runner/verify/inputs.hpp"

namespace runner {
namespace {

constexpr int64_t WORDS_PER_PIECE = int64_t{1} << 24;  // 64 MiB of host memory at a time
constexpr int64_t GRAIN = 1 << 16;
constexpr int64_t ALIGNMENT = 64;  // words in 256 bytes

int64_t whole_lines(int64_t words) { return (words + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

// Returns the words that a copy reads: half of its bytes. It writes the other half.
int64_t words_of_copy(const lab::Setup& setup) {
  return setup.useful_bytes / 2 / int64_t{sizeof(uint32_t)};
}

size_t bytes(int64_t words) { return static_cast<size_t>(words) * sizeof(uint32_t); }

// The first wrong word of an array, and the number of wrong words.
struct Wrong {
  int64_t count = 0;
  int64_t first = 0;
  uint32_t got = 0, want = 0;

  void add(const Wrong& other) {
    if (other.count > 0 && (count == 0 || other.first < first)) {
      first = other.first;
      got = other.got;
      want = other.want;
    }
    count += other.count;
  }
};

// Returns a word as a number. Most arrays hold floats; a word that is not a usual float is shown as bits.
std::string shown(uint32_t value) {
  if (value == POISON_BITS) return "nothing (it was never written)";
  const auto number = std::bit_cast<float>(value);
  const bool is_usual = number == 0 || (std::abs(number) > 1e-9f && std::abs(number) < 1e12f);
  return is_usual ? fmt::format("{:.9g}", number) : fmt::format("0x{:08x}", value);
}

}  // namespace

LabTrial::LabTrial(const lab::Variant& variant, const lab::Sizes& sizes, int64_t guard)
    : variant_(variant), sizes_(sizes), guard_(whole_lines(guard)), setup_(variant.setup(sizes)) {
  for (const lab::Array& array : setup_.arrays) {
    Laid& laid = laid_.emplace_back();
    laid.words = array.words;
    laid.buffer = DeviceBuffer<uint32_t>(2 * guard_ + array.words);
    laid.data = laid.buffer.data() == nullptr ? nullptr : laid.buffer.data() + guard_;
    machine::name_buffer(laid.buffer.data(), array.name);
    fill(array, laid);
  }
}

double LabTrial::bytes_needed(const lab::Setup& setup, int64_t guard) {
  double words = machine::MEASURES_TIME ? 2 * static_cast<double>(words_of_copy(setup)) : 0;
  for (const lab::Array& array : setup.arrays)
    words += static_cast<double>(array.words) + 2 * static_cast<double>(whole_lines(guard));
  return words * sizeof(uint32_t);
}

machine::Launch LabTrial::launch() {
  is_fresh_ = false;
  std::vector<uint32_t*> words;
  words.reserve(laid_.size());
  for (const Laid& laid : laid_) words.push_back(laid.data);
  return [this, arrays = lab::Arrays(std::move(words))](cudaStream_t stream) {
    return variant_.launch(sizes_, arrays, stream);
  };
}

machine::Launch LabTrial::copy() {
  const int64_t words = words_of_copy(setup_);
  if (words == 0) return {};
  copy_from_ = DeviceBuffer<uint32_t>(words);
  copy_to_ = DeviceBuffer<uint32_t>(words);
  runner::check(cudaMemset(copy_from_.data(), 1, bytes(words)));
  return [from = copy_from_.data(), to = copy_to_.data(), words](cudaStream_t stream) {
    return cudaMemcpyAsync(to, from, bytes(words), cudaMemcpyDeviceToDevice, stream);
  };
}

void LabTrial::fill(const lab::Array& array, const Laid& laid) const {
  if (laid.buffer.size() == 0) return;
  runner::check(cudaMemset(laid.buffer.data(), POISON_BITS & 0xFF, bytes(laid.buffer.size())));
  if (!array.before) return;
  std::vector<uint32_t> piece(static_cast<size_t>(std::min(WORDS_PER_PIECE, array.words)));
  for (int64_t first = 0; first < array.words; first += WORDS_PER_PIECE) {
    stop_if_interrupted();
    const int64_t count = std::min(WORDS_PER_PIECE, array.words - first);
    parallel_for(count, GRAIN, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) piece[static_cast<size_t>(i)] = array.before(first + i);
    });
    runner::check(
        cudaMemcpy(laid.data + first, piece.data(), bytes(count), cudaMemcpyHostToDevice));
  }
}

void LabTrial::compare(const lab::Array& array, const Laid& laid,
                       results::Judgement& judgement) const {
  const lab::Content& want = array.after ? array.after : array.before;
  if (!want) return;  // scratch: may hold anything
  Wrong wrong;
  std::vector<uint32_t> piece(static_cast<size_t>(std::min(WORDS_PER_PIECE, array.words)));
  for (int64_t first = 0; first < array.words; first += WORDS_PER_PIECE) {
    stop_if_interrupted();
    const int64_t count = std::min(WORDS_PER_PIECE, array.words - first);
    runner::check(
        cudaMemcpy(piece.data(), laid.data + first, bytes(count), cudaMemcpyDeviceToHost));
    std::mutex mutex;
    parallel_for(count, GRAIN, [&](int64_t begin, int64_t end) {
      Wrong here;
      for (int64_t i = begin; i < end; ++i) {
        const uint32_t got = piece[static_cast<size_t>(i)], wanted = want(first + i);
        if (got != wanted) here.add({.count = 1, .first = first + i, .got = got, .want = wanted});
      }
      const std::lock_guard lock(mutex);
      wrong.add(here);
    });
  }
  judgement.compared += array.words;
  if (wrong.count == 0 || !judgement.complaint.empty()) return;
  judgement.complaint =
      fmt::format("{} of {} words of '{}' are wrong, the first at {}: got {}, want {}", wrong.count,
                  array.words, array.name, wrong.first, shown(wrong.got), shown(wrong.want));
}

std::string LabTrial::damage_around(const lab::Array& array, const Laid& laid) const {
  std::vector<uint32_t> around(static_cast<size_t>(guard_));
  for (const bool behind : {false, true}) {
    const int64_t first = behind ? guard_ + laid.words : 0;
    runner::check(cudaMemcpy(around.data(), laid.buffer.data() + first, bytes(guard_),
                             cudaMemcpyDeviceToHost));
    const auto spoilt = std::ranges::find_if(around, [](uint32_t w) { return w != POISON_BITS; });
    if (spoilt == around.end()) continue;
    const int64_t at = first + (spoilt - around.begin()) - guard_;
    return fmt::format("'{}' was written to at word {}, and it has {}", array.name, at,
                       array.words);
  }
  return "";
}

results::Judgement LabTrial::check(results::Observation& seen) {
  for (size_t i = 0; i < laid_.size() && !is_fresh_; ++i) fill(setup_.arrays[i], laid_[i]);
  results::Judgement judgement;
  const cudaError_t error = machine::run(launch(), seen);
  if (error != cudaSuccess) {
    judgement.error = cudaGetErrorName(error);
    judgement.complaint = cudaGetErrorString(error);
    judgement.failure = machine::last_failure().text;
    return judgement;
  }
  for (size_t i = 0; i < laid_.size(); ++i) {
    compare(setup_.arrays[i], laid_[i], judgement);
    if (judgement.complaint.empty())
      judgement.complaint = damage_around(setup_.arrays[i], laid_[i]);
  }
  judgement.correct = judgement.complaint.empty();
  return judgement;
}

void LabTrial::check(results::Result& result) {
  if (const char* path = lab::path(variant_, sizes_)) result.path = path;
  if (setup_.useful_bytes > 0) result.useful_bytes = setup_.useful_bytes;
  result.judged = check(result.seen);
  if (!result.judged.error.empty()) result.seen = {};  // the launch was cut short
}

std::optional<results::Timing> LabTrial::time(const results::MeasureOptions& options) {
  if (!machine::MEASURES_TIME) return std::nullopt;
  const machine::Launch copied = copy();
  std::optional<results::Timing> timing = machine::time(launch(), copied, options);
  if (timing) timing->is_against_copy = static_cast<bool>(copied);
  return timing;
}

}  // namespace runner
