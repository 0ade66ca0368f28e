// A lab: a small memory experiment without matrix multiplication. Each lab is one file beside this one; labs.def holds
// the list.
//
// A lab asks one question. Its answer is a table of variants of one small kernel. All variants have the same result;
// each accesses memory in another order.
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

// (Not `labs`: the C library has a function of this name.)
namespace lab {

// Labs use these names without a prefix: ceil_div(), Claim.
using namespace device;

/// A size that a user may choose.
struct Parameter {
  const char* name;     // "elements"
  const char* meaning;  // "floats to copy"
  int64_t counted;      // the default for counting: small
  int64_t timed;        // the default for timing: far larger than the caches
  int64_t least = 1;
  int64_t most = int64_t{1} << 31;
  int64_t whole = 1;  // the promises hold for multiples of this
};

/// The sizes of one run, in the order of the lab's parameters.
class Sizes {
 public:
  Sizes() = default;
  explicit Sizes(std::vector<std::pair<std::string, int64_t>> sizes) : sizes_(std::move(sizes)) {}

  /// Returns the size with this name; 0 if the lab has none.
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

/// A function that returns word i of an array. It depends on i alone, so the host need not store the array, and several
/// threads can fill or check it together.
using Content = std::function<uint32_t(int64_t)>;

/// Returns the four bytes of a number.
inline uint32_t word(float value) { return std::bit_cast<uint32_t>(value); }
inline uint32_t word(int32_t value) { return std::bit_cast<uint32_t>(value); }

/// Returns a whole number below 4096 that looks random and depends on i alone. FP32 adds thousands of them exactly, in
/// any order. (The multiplier is from Knuth, The Art of Computer Programming 3, 6.4.)
inline float small_number(int64_t i) {
  return static_cast<float>((static_cast<uint64_t>(i) * 2654435761u >> 12) % 4096);
}

/// An array of 4-byte words in device memory, 256-byte aligned.
struct Array {
  const char* name;  // the name in counters and promises: "in"
  int64_t words;
  Content before;  // the contents before the kernel; empty: poison, which stays in unwritten words
  Content after;   // the contents that the kernel must leave; empty: unchanged
};

/// The arrays of a variant, and the bytes that it must move.
struct Setup {
  std::vector<Array> arrays;
  /// The bytes that any kernel with this result must read and write. The report compares the kernel's time with the
  /// time of a copy of as many bytes. 0 if the time does not depend on the bytes moved.
  int64_t useful_bytes;
};

/// The arrays of a setup on the device, in the setup's order.
class Arrays {
 public:
  explicit Arrays(std::vector<uint32_t*> words) : words_(std::move(words)) {}

  float* floats(size_t i) const { return reinterpret_cast<float*>(words_.at(i)); }
  int32_t* ints(size_t i) const { return reinterpret_cast<int32_t*>(words_.at(i)); }

 private:
  std::vector<uint32_t*> words_;
};

/// One variant of the lab's kernel.
struct Variant {
  const char* name;           // one word: "float4"
  const char* idea;           // one line: how its lanes walk
  std::vector<Claim> claims;  // its promise, for sizes that are multiples of Parameter::whole
  Setup (*setup)(const Sizes& sizes);

  /// Launches the kernel on the stream and returns at once.
  cudaError_t (*launch)(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream);

  /// Returns the name of the code path that launch() takes, for the report; nullptr for a variant with a single path.
  const char* (*path)(const Sizes& sizes) = nullptr;

  /// Returns the reason why launch() must not be called with these sizes, as a clause: "a float4 must lie at a multiple
  /// of 16 bytes"; nullptr if launch() may be called. The pointer is nullptr for a variant that takes all sizes.
  const char* (*refuses)(const Sizes& sizes) = nullptr;
};

struct Lab {
  const char* name;      // the name of its file, without .cu
  const char* question;  // one line
  const char* answer;    // a few sentences about the table, printed below it
  std::vector<Parameter> parameters;
  std::vector<Variant> variants;  // in the order of the table
  bool is_riddle = false;         // True if ideas and answer appear only with --reveal
};

/// Returns all labs, in the order of the course.
std::span<const Lab* const> all();

/// Returns the path that launch() takes, or nullptr if the variant has only one.
const char* path(const Variant& variant, const Sizes& sizes);
/// Returns the reason why the variant refuses these sizes, or nullptr if it takes them.
const char* refusal(const Variant& variant, const Sizes& sizes);

/// Return the lab's default sizes for counting and for timing.
Sizes counted_sizes(const Lab& of);
Sizes timed_sizes(const Lab& of);

}  // namespace lab
