// Modules and the linker. A module is the text of PTX. There is no machine code for the simulated GPU.
#include <cuda.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "simulator/runtime/api/refusal.hpp"
#include "simulator/runtime/api/registry.hpp"
#include "simulator/runtime/driver/calls.hpp"

namespace simulator::runtime {
namespace {

DriverModule* module_of(CUmodule handle) { return reinterpret_cast<DriverModule*>(handle); }

// Runs `use` with a module of the current device. Refuses a handle that is none.
template <typename Use>
CUresult with_module(CUmodule handle, Use use, const char* name = __builtin_FUNCTION()) {
  return in_context(
      [&] {
        DriverModule* const module = module_of(handle);
        return is_loaded(module) ? use(*module) : cudaErrorInvalidResourceHandle;
      },
      name);
}

constexpr std::string_view ADVICE =
    "a module here is PTX: simcc --ptx writes it, and so does simcc -fatbin or -cubin";

// Refuses an image: says on stderr what it is.
cudaError_t refuse_image(cudaError_t error, const std::string& what) {
  std::fprintf(stderr, "simulated GPU: %s was given %s; %s\n", Call::current(), what.c_str(),
               std::string(ADVICE).c_str());
  return error;
}

// Returns what a file or an image of another kind is, by its first bytes; empty for text.
std::string machine_code(std::string_view image) {
  constexpr std::string_view ELF = "\177ELF";
  constexpr std::string_view FAT_BINARY = "\x50\xed\x55\xba";
  constexpr std::string_view WRAPPED = "\xb1\x43\x62\x46";
  if (image.starts_with(ELF)) return "a cubin, which is machine code of a GPU";
  if (image.starts_with(FAT_BINARY) || image.starts_with(WRAPPED))
    return "a fat binary of nvcc, which holds machine code of GPUs";
  return "";
}

cudaError_t load(CUmodule* module, const std::string& image) {
  if (const std::string code = machine_code(image); !code.empty())
    return refuse_image(cudaErrorNoKernelImageForDevice, code);
  if (image.find(".version") == image.npos)
    return refuse_image(cudaErrorInvalidKernelImage, "an image without PTX's .version");
  DriverModule* loaded = nullptr;
  const cudaError_t error = load_module(image, &loaded);
  if (error == cudaSuccess) *module = reinterpret_cast<CUmodule>(loaded);
  return error;
}

// An image in memory has no length. Machine code has zero bytes, but its first four are none.
cudaError_t load_data(CUmodule* module, const void* image) {
  if (module == nullptr || image == nullptr) return cudaErrorInvalidValue;
  return load(module, static_cast<const char*>(image));
}

std::optional<std::string> contents(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Answers the options that ask for a log or a time. Nothing is ever logged, and a time is not measured.
cudaError_t answer_options(unsigned int count, const CUjit_option* options, void** values) {
  if (count > 0 && (options == nullptr || values == nullptr)) return cudaErrorInvalidValue;
  for (unsigned int i = 0; i < count; ++i) {
    switch (options[i]) {
      case CU_JIT_INFO_LOG_BUFFER:
      case CU_JIT_ERROR_LOG_BUFFER:
        if (values[i] != nullptr) *static_cast<char*>(values[i]) = '\0';
        break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
      case CU_JIT_WALL_TIME:  // a float of zero has the same bits
        values[i] = nullptr;
        break;
      default:
        break;
    }
  }
  return cudaSuccess;
}

}  // namespace
}  // namespace simulator::runtime

/// The input of the linker. Freed by cuLinkDestroy.
struct CUlinkState_st {
  std::optional<std::string> ptx;
};

namespace simulator::runtime {
namespace {

struct LinkStates {
  std::mutex mutex;
  std::set<CUlinkState> all;
};
LinkStates& link_states() {
  static LinkStates* const instance = new LinkStates;
  return *instance;
}

// Runs `use` with a state of the linker. Refuses a handle that is none.
template <typename Use>
CUresult with_state(CUlinkState state, Use use, const char* name = __builtin_FUNCTION()) {
  return in_context(
      [&] {
        const std::lock_guard lock(link_states().mutex);
        return link_states().all.contains(state) ? use(*state) : cudaErrorInvalidResourceHandle;
      },
      name);
}

cudaError_t add_to(CUlinkState_st& state, CUjitInputType type, std::string input) {
  if (type < CU_JIT_INPUT_CUBIN || type >= CU_JIT_NUM_INPUT_TYPES) return cudaErrorInvalidValue;
  const std::string code = machine_code(input);
  if (type != CU_JIT_INPUT_PTX || !code.empty())
    return refuse_image(cudaErrorNoKernelImageForDevice, code.empty() ? "no PTX" : code);
  if (state.ptx)
    return refuse_image(cudaErrorNotSupported, "a second input for the linker, which takes one");
  input.resize(std::min(input.size(), input.find('\0')));
  state.ptx = std::move(input);
  return cudaSuccess;
}

}  // namespace
}  // namespace simulator::runtime

using namespace simulator::runtime;

extern "C" {

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  return in_context([&] {
    if (module == nullptr || path == nullptr) return cudaErrorInvalidValue;
    const std::optional<std::string> image = contents(path);
    return image ? load(module, *image) : cudaErrorFileNotFound;
  });
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return in_context([&] { return load_data(module, image); });
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int count,
                            CUjit_option* options, void** values) {
  return in_context([&] {
    const cudaError_t error = answer_options(count, options, values);
    return error != cudaSuccess ? error : load_data(module, image);
  });
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return in_context([&] { return load_data(module, image); });
}

CUresult cuModuleUnload(CUmodule handle) {
  return with_module(handle, [](DriverModule& module) {
    const cudaError_t error = cudaDeviceSynchronize();
    unload(module);
    return error;
  });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule handle, const char* name) {
  return with_module(handle, [&](DriverModule& module) {
    if (function == nullptr || name == nullptr) return cudaErrorInvalidValue;
    const void* const kernel = find_kernel(module, name);
    *function = reinterpret_cast<CUfunction>(const_cast<void*>(kernel));
    return kernel == nullptr ? cudaErrorSymbolNotFound : cudaSuccess;
  });
}

CUresult cuModuleGetGlobal(CUdeviceptr* pointer, size_t* bytes, CUmodule handle, const char* name) {
  return with_module(handle, [&](const DriverModule& module) {
    if (name == nullptr) return cudaErrorInvalidValue;
    const Variable variable = find_variable(module, name);
    if (pointer != nullptr) *pointer = variable.address;
    if (bytes != nullptr) *bytes = variable.bytes;
    return variable.address == 0 ? cudaErrorSymbolNotFound : cudaSuccess;
  });
}

CUresult cuLinkCreate(unsigned int count, CUjit_option* options, void** values,
                      CUlinkState* state) {
  return in_context([&] {
    if (state == nullptr) return cudaErrorInvalidValue;
    const cudaError_t error = answer_options(count, options, values);
    if (error != cudaSuccess) return error;
    const std::lock_guard lock(link_states().mutex);
    *state = *link_states().all.insert(new CUlinkState_st).first;
    return cudaSuccess;
  });
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, size_t bytes,
                       const char* /*name*/, unsigned int count, CUjit_option* options,
                       void** values) {
  return with_state(state, [&](CUlinkState_st& known) {
    if (data == nullptr || bytes == 0) return cudaErrorInvalidValue;
    const cudaError_t error = answer_options(count, options, values);
    if (error != cudaSuccess) return error;
    return add_to(known, type, std::string(static_cast<const char*>(data), bytes));
  });
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path, unsigned int count,
                       CUjit_option* options, void** values) {
  return with_state(state, [&](CUlinkState_st& known) {
    if (path == nullptr) return cudaErrorInvalidValue;
    const cudaError_t error = answer_options(count, options, values);
    if (error != cudaSuccess) return error;
    std::optional<std::string> input = contents(path);
    return input ? add_to(known, type, std::move(*input)) : cudaErrorFileNotFound;
  });
}

// The image is the input, which cuModuleLoadData reads.
CUresult cuLinkComplete(CUlinkState state, void** image, size_t* bytes) {
  return with_state(state, [&](CUlinkState_st& known) {
    if (image == nullptr) return cudaErrorInvalidValue;
    if (!known.ptx) return cudaErrorInvalidPtx;
    *image = known.ptx->data();
    if (bytes != nullptr) *bytes = known.ptx->size() + 1;
    return cudaSuccess;
  });
}

CUresult cuLinkDestroy(CUlinkState state) {
  return with_state(state, [&](const CUlinkState_st&) {
    link_states().all.erase(state);
    delete state;
    return cudaSuccess;
  });
}

}  // extern "C"
