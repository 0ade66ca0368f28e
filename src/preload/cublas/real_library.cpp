#include "preload/cublas/real_library.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <span>

namespace preload {
namespace {

// The names that the loader knows the libraries by, the newest first.
constexpr const char* CUBLAS_NAMES[] = {"libcublas.so.13", "libcublas.so.12"};
constexpr const char* CUBLAS_LT_NAMES[] = {"libcublasLt.so.13", "libcublasLt.so.12"};

std::span<const char* const> names_of(Library library) {
  if (library == Library::cublas) return CUBLAS_NAMES;
  return CUBLAS_LT_NAMES;
}

// Returns where the library that holds this address was loaded; nullptr if no library does.
const void* place_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) == 0 ? nullptr : info.dli_fbase;
}

// True for a function of this library.
bool is_ours(const void* function) {
  static const char mark = 0;
  return place_of(function) == place_of(&mark);
}

}  // namespace

void* find_real(Library library, const char* name) {
  for (const char* const file : names_of(library)) {
    // The library stays open: its functions are kept.
    void* const loaded = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
    if (loaded == nullptr) continue;
    void* const found = dlsym(loaded, name);
    if (found != nullptr && !is_ours(found)) return found;
    dlclose(loaded);
  }
  void* const next = dlsym(RTLD_NEXT, name);
  return next != nullptr && !is_ours(next) ? next : nullptr;
}

void complain_that_missing(const char* name) {
  static std::atomic_flag has_complained;
  if (has_complained.test_and_set()) return;
  std::fprintf(stderr,
               "libsgemm_ladder_cublas.so: the program called %s, but it has loaded neither "
               "version 13 nor 12 of cuBLAS; the call returns CUBLAS_STATUS_NOT_INITIALIZED\n",
               name);
}

}  // namespace preload
