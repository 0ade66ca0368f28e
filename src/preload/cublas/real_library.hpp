// cuBLAS's own functions, which the preloaded ones stand in front of.
#pragma once

#include <atomic>
#include <utility>

#include "preload/cublas/abi.hpp"

namespace preload {

/// NVIDIA's libraries.
enum class Library { cublas, cublas_lt };

/// Returns the library's own function of this name, or nullptr if the process has not loaded the library. It asks each version of the
/// library that may be loaded, however it was loaded, and then the libraries behind this one.
void* find_real(Library library, const char* name);

/// Says once on stderr that cuBLAS's function was not found.
void complain_that_missing(const char* name);

/// True while this thread is in a function of cuBLAS that we forwarded to. cuBLAS may call its own public functions, and the linker
/// then gives it ours: they must pass such a call on at once.
class InsideCublas {
 public:
  static bool is_inside() { return depth > 0; }

  InsideCublas() { ++depth; }
  ~InsideCublas() { --depth; }
  InsideCublas(const InsideCublas&) = delete;
  InsideCublas& operator=(const InsideCublas&) = delete;

 private:
  inline static thread_local int depth = 0;
};

/// One function of the real library, found on its first use. FUNCTION is its type.
template <typename FUNCTION>
class Real {
 public:
  constexpr Real(Library library, const char* name) : library_(library), name_(name) {}

  /// Returns the function, or nullptr if there is none. Threads may find it at the same time: they find the same one.
  FUNCTION* get() {
    FUNCTION* known = function_.load(std::memory_order_acquire);
    if (known != nullptr) return known;
    known = reinterpret_cast<FUNCTION*>(find_real(library_, name_));
    function_.store(known, std::memory_order_release);
    return known;
  }

  /// Calls the function. Without it, complains and returns CUBLAS_STATUS_NOT_INITIALIZED.
  template <typename... ARGUMENTS>
  cublas::Value operator()(ARGUMENTS... arguments) {
    FUNCTION* const function = get();
    if (function == nullptr) {
      complain_that_missing(name_);
      return cublas::NOT_INITIALIZED;
    }
    const InsideCublas inside;
    return function(arguments...);
  }

  const char* name() const { return name_; }

 private:
  const Library library_;
  const char* const name_;
  std::atomic<FUNCTION*> function_ = nullptr;
};

}  // namespace preload
