#include "simulator/runtime/api/registry.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulator/runtime/api/events.hpp"
#include "simulator/runtime/api/simulated_device.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
// The section of the shadows of __managed__ variables, set by <host_defines.h>. The linker marks its ends.
extern "C" {
[[gnu::weak, gnu::visibility("hidden")]] extern char __start_simulator_managed[];
[[gnu::weak, gnu::visibility("hidden")]] extern char __stop_simulator_managed[];
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace simulator::runtime {

struct TranslationUnit {
  const char* ptx = nullptr;
  HostPlaces managed;
};

/// Never freed: a graph may hold its kernels, and a stale handle must be recognised.
struct DriverModule {
  DriverModule(std::string code, SimulatedDevice& on) : ptx(std::move(code)), device(on) {
    unit.ptx = ptx.c_str();
  }

  const std::string ptx;
  TranslationUnit unit;
  SimulatedDevice& device;
  std::atomic<bool> is_unloaded = false;
  std::set<std::string>
      kernels;  // those that were asked for; the address of a name is the kernel's handle
};

namespace {

// clang's header of each translation unit's device code. `text` is PTX that ends in a zero byte.
struct FatBinary {
  uint32_t magic;
  uint32_t version;
  const char* text;
  void* unused;
};
constexpr uint32_t FAT_BINARY_MAGIC = 0x466243b1;

void say_unreadable(const std::string& kernel, const Unreadable& error) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  if (!said.insert(kernel).second) return;
  std::fprintf(stderr, "simulated GPU: this kernel cannot be run here: %s\n",
               demangled(kernel).c_str());
  if (!error.where.file.empty())
    std::fprintf(stderr, "  at           %s:%d\n", error.where.file.c_str(), error.where.line);
  std::fprintf(stderr, "  %s\n", error.what.c_str());
}

struct Symbol {
  TranslationUnit* unit = nullptr;
  std::string name;                // mangled
  size_t bytes = 0;                // of a variable
  DriverModule* module = nullptr;  // of the driver; nullptr: the unit is a part of the program
};

Module* load(const TranslationUnit& unit, SimulatedDevice& device = current_device()) {
  return device.modules.load(device, unit);
}
const Module* load(const DriverModule& module) { return load(module.unit, module.device); }
const Module* load(const Symbol& symbol) {
  return symbol.module == nullptr ? load(*symbol.unit) : load(*symbol.module);
}

bool is_usable(const DriverModule& module) {
  return !module.is_unloaded && &module.device == &current_device();
}

// Filled by static constructors, before and, with shared libraries, during main().
struct Registry {
  std::mutex mutex;
  std::unordered_map<const void*, Symbol> kernels;
  std::unordered_map<const void*, Symbol> variables;
  std::vector<const void*> asked_for;     // kernels, each once: see take_kernel_code()
  std::set<const DriverModule*> modules;  // all that were ever loaded

  void note_asked_for(const void* kernel) {
    const std::lock_guard lock(mutex);
    if (std::find(asked_for.begin(), asked_for.end(), kernel) == asked_for.end())
      asked_for.push_back(kernel);
  }

  Symbol find(const std::unordered_map<const void*, Symbol>& symbols, const void* host) {
    const std::lock_guard lock(mutex);
    const auto found = symbols.find(host);
    return found == symbols.end() ? Symbol{} : found->second;
  }
};

Registry& registry() {
  static Registry* const instance = new Registry;  // static destructors may still make calls
  return *instance;
}

// Returns the unqualified name: "ns::scale<float>" -> "scale".
std::string unqualified(std::string name) {
  name.resize(std::min(name.size(), name.find('<')));
  const size_t colons = name.rfind("::");
  return colons == name.npos ? name : name.substr(colons + 2);
}

// Runs a step of the program's start, before main. Ends the program on an exception, because no code could handle
// it there.
template <typename Step>
auto at_start(Step step) {
  try {
    return step();
  } catch (const std::bad_alloc&) {
    std::fputs("simulated GPU: out of memory on the host before the program began\n", stderr);
    std::_Exit(EXIT_FAILURE);
  }
}

}  // namespace

Module* Modules::load(Device& device, const TranslationUnit& unit) {
  Loaded* loaded = nullptr;
  {
    const std::lock_guard lock(mutex_);
    loaded = &loaded_[&unit];
  }
  std::call_once(loaded->once, [&] {
    if (unit.ptx == nullptr) {
      std::fputs("simulated GPU: this program's device code was not compiled by simcc\n", stderr);
      return;
    }
    try {
      loaded->module = Module::load(device, unit.ptx, unit.managed);
    } catch (const std::bad_alloc&) {  // not an error of the code: the next call tries again
      throw;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "simulated GPU: the device code cannot be read: %s\n", error.what());
    }
  });
  return loaded->module.get();
}

cudaError_t find_kernel(const void* host_function, const Kernel** kernel) {
  const Symbol symbol = registry().find(registry().kernels, host_function);
  if (symbol.unit == nullptr) return cudaErrorInvalidDeviceFunction;
  if (symbol.module != nullptr && !is_usable(*symbol.module)) return cudaErrorInvalidResourceHandle;
  const Module* const module = load(symbol);
  if (module == nullptr) return cudaErrorInvalidPtx;
  try {
    *kernel = module->find_kernel(symbol.name);
    if (*kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    registry().note_asked_for(host_function);
    return cudaSuccess;
  } catch (const Unreadable& error) {
    say_unreadable(symbol.name, error);
    return cudaErrorInvalidPtx;
  }
}

std::string kernel_name(const void* host_function) {
  return demangled(registry().find(registry().kernels, host_function).name);
}

bool is_named_as_a_kernel(std::string_view function) {
  const std::lock_guard lock(registry().mutex);
  return std::any_of(registry().kernels.begin(), registry().kernels.end(), [&](const auto& kernel) {
    return unqualified(demangled(kernel.second.name)) == unqualified(std::string(function));
  });
}

std::vector<KernelCode> take_kernel_code() {
  std::vector<const void*> kernels;
  {
    const std::lock_guard lock(registry().mutex);
    kernels = std::exchange(registry().asked_for, {});
  }
  std::vector<KernelCode> code;
  for (const void* kernel : kernels) {
    const Symbol symbol = registry().find(registry().kernels, kernel);
    const Module* const module = symbol.unit == nullptr ? nullptr : load(symbol);
    if (module != nullptr) code.push_back({demangled(symbol.name), module->code(symbol.name)});
  }
  return code;
}

Variable find_variable(const void* host_shadow) {
  const Symbol symbol = registry().find(registry().variables, host_shadow);
  if (symbol.unit == nullptr) return {};
  const Module* const module = load(*symbol.unit);
  Variable variable;
  if (module != nullptr) variable.address = module->find_variable(symbol.name, &variable.bytes);
  return variable;
}

std::string variable_around(const void* host) {
  const std::lock_guard lock(registry().mutex);
  const auto* const place = static_cast<const std::byte*>(host);
  for (const auto& [shadow, symbol] : registry().variables) {
    const auto* const first = static_cast<const std::byte*>(shadow);
    if (place >= first && place < first + symbol.bytes) return demangled(symbol.name);
  }
  return "";
}

bool is_managed_variable(const void* host_shadow) {
  return host_shadow >= __start_simulator_managed && host_shadow < __stop_simulator_managed;
}

// Reads all of it now, as a driver does.
cudaError_t load_module(std::string ptx, DriverModule** module) {
  auto* const loaded = new DriverModule(std::move(ptx), current_device());
  const Module* const read = load(*loaded);
  if (read == nullptr) return cudaErrorInvalidPtx;
  try {
    read->check_kernels();
  } catch (const Unreadable& error) {
    std::fprintf(stderr, "simulated GPU: the module cannot be loaded: %s\n", error.what.c_str());
    return cudaErrorInvalidPtx;
  }
  *module = loaded;
  const std::lock_guard lock(registry().mutex);
  registry().modules.insert(*module);
  return cudaSuccess;
}

bool is_loaded(const DriverModule* module) {
  const std::lock_guard lock(registry().mutex);
  return registry().modules.contains(module) && is_usable(*module);
}

void unload(DriverModule& module) { module.is_unloaded = true; }

const void* find_kernel(DriverModule& module, const char* name) {
  if (load(module)->find_kernel(name) == nullptr) return nullptr;
  const std::lock_guard lock(registry().mutex);
  const std::string& known = *module.kernels.insert(name).first;
  registry().kernels[&known] = {.unit = &module.unit, .name = known, .module = &module};
  return &known;
}

DriverModule* module_of(const void* kernel) {
  return registry().find(registry().kernels, kernel).module;
}

Variable find_variable(const DriverModule& module, const char* name) {
  Variable variable;
  variable.address = load(module)->find_variable(name, &variable.bytes);
  return variable;
}

}  // namespace simulator::runtime

// The functions that clang's code calls. Their names and signatures are CUDA's.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

void** __cudaRegisterFatBinary(void* fat_binary) {
  using namespace simulator::runtime;
  return at_start([&] {
    publish(&Watcher::code_registered);
    const auto* const binary = static_cast<const FatBinary*>(fat_binary);
    // Never freed: objects with static storage may launch kernels from their destructors.
    auto* const unit = new TranslationUnit;
    if (binary->magic == FAT_BINARY_MAGIC) unit->ptx = binary->text;
    return reinterpret_cast<void**>(unit);
  });
}

void __cudaRegisterFatBinaryEnd(void** handle) {
  using namespace simulator::runtime;
  // Managed variables must have their values now, because the host may read them before the first launch.
  auto* const unit = reinterpret_cast<TranslationUnit*>(handle);
  if (!unit->managed.empty()) at_start([unit] { load(*unit); });
}

// Called by what simcc links for files that were compiled with -rdc=true: once for each of them, and with nullptr at the end. They share
// one text of device code.
void __simulatorRegisterLinkedCode(const char* ptx, void (*register_symbols)(void**)) {
  using namespace simulator::runtime;
  static std::map<const char*, TranslationUnit*> units;  // filled before main, by one thread
  TranslationUnit*& unit = units[ptx];
  if (unit == nullptr) {
    unit = at_start([&] {
      publish(&Watcher::code_registered);
      return new TranslationUnit{.ptx = ptx, .managed = {}};
    });
  }
  auto** const handle = reinterpret_cast<void**>(unit);
  static std::set<const TranslationUnit*> ended;
  if (register_symbols != nullptr) {
    const size_t before = unit->managed.size();
    register_symbols(handle);
    // A file of a library may come after the end.
    if (!ended.contains(unit) || unit->managed.size() == before) return;
    at_start([unit] {
      if (simulator::Module* const module = load(*unit); module != nullptr)
        module->place_managed(unit->managed);
    });
  } else {
    ended.insert(unit);
    __cudaRegisterFatBinaryEnd(handle);
  }
}

void __cudaUnregisterFatBinary(void** /*handle*/) {}

void __cudaRegisterFunction(void** handle, const char* host_function, char* /*device_function*/,
                            const char* device_name, int /*thread_limit*/, uint3* /*thread*/,
                            uint3* /*block*/, dim3* /*block_shape*/, dim3* /*grid_shape*/,
                            int* /*warp_size*/) {
  using namespace simulator::runtime;
  at_start([&] {
    const std::lock_guard lock(registry().mutex);
    registry().kernels[host_function] = {.unit = reinterpret_cast<TranslationUnit*>(handle),
                                         .name = device_name};
  });
}

void __cudaRegisterVar(void** handle, char* host_shadow, char* /*device_address*/,
                       const char* device_name, int /*external*/, size_t bytes, int /*constant*/,
                       int /*global*/) {
  using namespace simulator::runtime;
  at_start([&] {
    const std::lock_guard lock(registry().mutex);
    auto* const unit = reinterpret_cast<TranslationUnit*>(handle);
    registry().variables[host_shadow] = {.unit = unit, .name = device_name, .bytes = bytes};
    if (is_managed_variable(host_shadow)) unit->managed[device_name] = host_shadow;
  });
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
