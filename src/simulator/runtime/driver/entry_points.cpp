// The driver's functions by their names.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/refusal.hpp"

using namespace simulator::runtime;

namespace {

struct EntryPoint {
  std::string_view name;
  void* function;
};

// Returns the function; nullptr if the driver has none of this name.
void* function_of(std::string_view name) {
  static const EntryPoint entry_points[] = {
#define CU_FUNCTION(name, version, parameters) {#name, reinterpret_cast<void*>(&(name))},
#include <simulated/driver_functions.h>
#undef CU_FUNCTION
  };
  const auto* const found = std::ranges::find(entry_points, name, &EntryPoint::name);
  return found == std::end(entry_points) ? nullptr : found->function;
}

cudaError_t entry_point(const char* symbol, void** function,
                        cudaDriverEntryPointQueryResult* status) {
  if (symbol == nullptr || function == nullptr) return cudaErrorInvalidValue;
  *function = function_of(symbol);
  const bool is_found = *function != nullptr;
  if (status != nullptr)
    *status = is_found ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  if (is_found) return cudaSuccess;
  return refuse(cudaErrorNotSupported, [&] {
    return Refusal{std::string("the simulated GPU's driver has no ") + symbol,
                   "docs/simulator.md lists the functions of the driver that it has", ""};
  });
}

}  // namespace

extern "C" {

CUresult cuGetProcAddress(const char* symbol, void** function, int /*version*/,
                          cuuint64_t /*flags*/, CUdriverProcAddressQueryResult* status) {
  if (symbol == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *function = function_of(symbol);
  const bool is_found = *function != nullptr;
  if (status != nullptr)
    *status = is_found ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return is_found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long,
                                    enum cudaDriverEntryPointQueryResult* status) {
  return guarded([&] { return entry_point(symbol, function, status); });
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned int,
                                             unsigned long long,
                                             enum cudaDriverEntryPointQueryResult* status) {
  return guarded([&] { return entry_point(symbol, function, status); });
}

}  // extern "C"
