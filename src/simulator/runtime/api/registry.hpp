// What clang's start-up code registers: for each translation unit its PTX, its kernels and its variables,
// each known to the host by the address of a stub or shadow of it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simulator/execute/launch/module.hpp"

namespace simulator::runtime {

struct TranslationUnit;

/// What a device has loaded of the program's translation units.
class Modules {
 public:
  /// Reading PTX takes a moment, so a unit is read when it is first used. nullptr if it cannot be.
  const Module* load(Device& device, const TranslationUnit& unit);

 private:
  struct Loaded {
    std::once_flag once;
    std::unique_ptr<Module> module;
  };
  std::mutex mutex_;
  std::unordered_map<const TranslationUnit*, Loaded> loaded_;
};

/// The kernel behind a host function, its module loaded when it is first asked for. cudaErrorInvalidPtx for one
/// whose PTX cannot be read, which is described on stderr, once; the other kernels of its file are none the worse.
cudaError_t find_kernel(const void* host_function, const Kernel** kernel);
/// Its name for a person, which needs no module; empty if there is none.
std::string kernel_name(const void* host_function);

/// Whether some kernel has this name, namespaces and template arguments apart.
bool is_named_as_a_kernel(std::string_view function);

/// The code of a kernel.
struct KernelCode {
  std::string kernel;  // demangled, without its parameter list
  std::vector<CodeLine> lines;
};
/// Of the kernels that were asked for, as by a launch, since the last call: each once, in the order of their first.
std::vector<KernelCode> take_kernel_code();

/// A __device__ or __constant__ variable.
struct Variable {
  uint64_t address = 0;  // 0: there is none
  size_t bytes = 0;
};
Variable find_variable(const void* host_shadow);
/// The name of the variable whose shadow on the host has this place in it; empty if there is none.
std::string variable_around(const void* host);

/// Whether the variable that lies here on the host is a __managed__ one, which the device uses where it is.
bool is_managed_variable(const void* host_shadow);

}  // namespace simulator::runtime
