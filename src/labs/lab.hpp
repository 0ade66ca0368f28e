// What a lab is: a lesson about memory that needs no matrix product. A lab is one file beside this one; labs.def holds
// the list.
//
// A lab asks one question and answers it with variants of one small kernel that stand side by side: same data, same
// result, another order of addresses.
#pragma once

#include <cuda_runtime.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/grid.hpp"
#include "promise/promise.hpp"

// (Not `labs`: that is a function of the C library.)
namespace lab {

// A lab speaks the words that kernels share as its own: ceil_div(), Claim.
using namespace device;

/// A size that a user may choose.
struct Parameter {
  const char* name;     // "elements"
  const char* meaning;  // "floats to copy"
  int64_t counted;      // its default where accesses are counted: small
  int64_t timed;        // and where time is taken: far larger than the caches
  int64_t least = 1;
  int64_t most = int64_t{1} << 31;
  int64_t whole = 1;  // the promises speak of multiples of this
};

/// The sizes of one run, in the order of the lab's parameters.
class Sizes {
 public:
  Sizes() = default;
  explicit Sizes(std::vector<std::pair<std::string, int64_t>> sizes) : sizes_(std::move(sizes)) {}

  /// 0 for a name that the lab does not have.
  int64_t operator[](std::string_view name) const {
    for (const auto& [key, value] : sizes_) {
      if (key == name) return value;
    }
    return 0;
  }
  const std::vector<std::pair<std::string, int64_t>>& all() const { return sizes_; }
  bool operator==(const Sizes&) const = default;

 private:
  std::vector<std::pair<std::string, int64_t>> sizes_;
};

/// What the words of an array are: word i, a pure function of i, so that nothing need be kept on the host and threads may
/// fill or check an array together.
using Content = std::function<uint32_t(int64_t)>;

/// The four bytes of a number.
inline uint32_t word(float value) { return std::bit_cast<uint32_t>(value); }
inline uint32_t word(int32_t value) { return std::bit_cast<uint32_t>(value); }

/// A whole number below 4096 that looks random and depends on i alone: FP32 adds thousands of them exactly, in any
/// order. (The multiplier is Knuth's, The Art of Computer Programming 3, 6.4.)
inline float small_number(int64_t i) {
  return static_cast<float>((static_cast<uint64_t>(i) * 2654435761u >> 12) % 4096);
}

/// An array of 4-byte words in device memory, 256-byte aligned.
struct Array {
  const char* name;  // as counters and promises call it: "in"
  int64_t words;
  Content before;  // what the kernel finds; empty: poison, which a word that is never written keeps
  Content after;   // what it must leave; empty: what it found
};

/// What a variant works on.
struct Setup {
  std::vector<Array> arrays;
  /// That any kernel with this result must read and write at least; a copy of as many is what its time is held against.
  /// 0 where the time tells something else than bytes moved.
  int64_t useful_bytes;
};

/// The arrays of a setup on the device, in its order.
class Arrays {
 public:
  explicit Arrays(std::vector<uint32_t*> words) : words_(std::move(words)) {}

  float* floats(size_t i) const { return reinterpret_cast<float*>(words_.at(i)); }
  int32_t* ints(size_t i) const { return reinterpret_cast<int32_t*>(words_.at(i)); }

 private:
  std::vector<uint32_t*> words_;
};

/// One way to do what the lab is about.
struct Variant {
  const char* name;           // one word: "float4"
  const char* idea;           // one line: how its lanes walk
  std::vector<Claim> claims;  // its promise, where the sizes are multiples of Parameter::whole
  Setup (*setup)(const Sizes& sizes);

  /// Puts the kernel on the stream and returns at once.
  cudaError_t (*launch)(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream);

  /// Which code path launch() takes, for the report; a variant with a single path says nullptr here.
  const char* (*path)(const Sizes& sizes) = nullptr;

  /// Why launch() must not be called with these sizes, in a clause: "a float4 must lie at a multiple of 16 bytes";
  /// nullptr where it may. A variant that takes all says nullptr here.
  const char* (*refuses)(const Sizes& sizes) = nullptr;
};

struct Lab {
  const char* name;      // as its file is called
  const char* question;  // one line
  const char* answer;    // what the table shows: a few sentences, for below it
  std::vector<Parameter> parameters;
  std::vector<Variant> variants;  // in the order in which they are shown
  bool is_riddle = false;         // ideas and answer are shown to those who ask for them
};

/// All labs, in the order in which they are best taken.
std::span<const Lab* const> all();

/// The path that launch() takes, or nullptr where the variant has only one.
const char* path(const Variant& variant, const Sizes& sizes);
/// Why the variant refuses these sizes, or nullptr where it takes them.
const char* refusal(const Variant& variant, const Sizes& sizes);

/// The lab's default sizes.
Sizes counted_sizes(const Lab& of);
Sizes timed_sizes(const Lab& of);

}  // namespace lab
