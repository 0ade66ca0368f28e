// The registry of clang's start-up code: each translation unit's PTX, kernels and variables. The host knows each
// kernel by the address of its stub, and each variable by the address of its shadow.
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
struct DriverModule;

/// The modules that a device has loaded.
class Modules {
 public:
  /// Returns the unit's module, loaded on first use because reading PTX takes a moment. Returns nullptr if it
  /// cannot be read.
  Module* load(Device& device, const TranslationUnit& unit);

 private:
  struct Loaded {
    std::once_flag once;
    std::unique_ptr<Module> module;
  };
  std::mutex mutex_;
  std::unordered_map<const TranslationUnit*, Loaded> loaded_;
};

/// Finds the kernel of a host function. Loads its module on first use. Returns cudaErrorInvalidPtx for a kernel
/// whose PTX cannot be read, and describes it on stderr once. The other kernels of its file still work.
cudaError_t find_kernel(const void* host_function, const Kernel** kernel);
/// Returns the kernel's name for a person, without loading a module; empty if there is none.
std::string kernel_name(const void* host_function);

/// True if a kernel has this name, ignoring namespaces and template arguments.
bool is_named_as_a_kernel(std::string_view function);

/// The code of a kernel.
struct KernelCode {
  std::string kernel;  // demangled, without its parameter list
  std::vector<CodeLine> lines;
};
/// Returns the code of each kernel that was asked for since the last call, for example by a launch: each once, in
/// the order of the first request.
std::vector<KernelCode> take_kernel_code();

/// A __device__ or __constant__ variable.
struct Variable {
  uint64_t address = 0;  // 0: there is none
  size_t bytes = 0;
};
Variable find_variable(const void* host_shadow);
/// Returns the name of the variable whose host shadow contains this address; empty if there is none.
std::string variable_around(const void* host);

/// True if the variable at this host address is a __managed__ one. The device uses it in place.
bool is_managed_variable(const void* host_shadow);

/// Loads device code of the driver API on the current device: PTX. Returns cudaErrorInvalidPtx for text that cannot be read, or with an
/// instruction outside the subset, and describes it on stderr.
cudaError_t load_module(std::string ptx, DriverModule** module);
/// True if this is a module that was loaded on the current device, and not unloaded.
bool is_loaded(const DriverModule* module);
/// Ends the use of a module. Its kernels and variables stay in memory.
void unload(DriverModule& module);
/// Finds a kernel of a module by its mangled name. Returns the address by which the runtime API knows it, as it knows a kernel of the
/// program by its host function; nullptr if there is none.
const void* find_kernel(DriverModule& module, const char* name);
/// Returns the module of such a kernel; nullptr if it is not one.
DriverModule* module_of(const void* kernel);
/// Finds a variable of a module by its mangled name.
Variable find_variable(const DriverModule& module, const char* name);

}  // namespace simulator::runtime
