#include "runner/machine/cuda/launched_kernels.hpp"

#include <cuda.h>
#include <dlfcn.h>

#include <map>
#include <string>

#include "runner/machine/cuda/owned.hpp"
#include "runner/machine/kernel_name.hpp"

namespace runner {
namespace {

using Stream = Owned<cudaStream_t, cudaStreamDestroy>;
using Graph = Owned<cudaGraph_t, cudaGraphDestroy>;

// Returns the driver's function with the name that its library exports; such a name never changes its signature. The
// program links only to the runtime.
template <typename Function>
Function* driver(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

results::Kernel kernel_of(const CUDA_KERNEL_NODE_PARAMS_v2& node) {
  static auto* const attribute =
      driver<CUresult(int*, CUfunction_attribute, CUfunction)>("cuFuncGetAttribute");
  static auto* const occupancy = driver<CUresult(int*, CUfunction, int, size_t)>(
      "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  static auto* const name = driver<CUresult(const char**, CUfunction)>("cuFuncGetName");
  static auto* const function_of = driver<CUresult(CUfunction*, CUkernel)>("cuKernelGetFunction");

  results::Kernel kernel{.name = "?",
                         .grid = {node.gridDimX, node.gridDimY, node.gridDimZ},
                         .block = {node.blockDimX, node.blockDimY, node.blockDimZ}};
  CUfunction function = node.func;
  if (function == nullptr && function_of != nullptr) function_of(&function, node.kern);
  if (function == nullptr) return kernel;
  const char* mangled = nullptr;
  if (name != nullptr && name(&mangled, function) == CUDA_SUCCESS)
    kernel.name = kernel_name(mangled);
  int value = 0;
  if (attribute == nullptr) return kernel;
  if (attribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function) == CUDA_SUCCESS)
    kernel.registers = value;
  if (attribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function) == CUDA_SUCCESS) {
    kernel.shared_bytes = int64_t{value} + node.sharedMemBytes;
  }
  const auto threads = static_cast<int>(node.blockDimX * node.blockDimY * node.blockDimZ);
  if (occupancy != nullptr &&
      occupancy(&value, function, threads, node.sharedMemBytes) == CUDA_SUCCESS) {
    kernel.blocks_per_multiprocessor = value;
  }
  return kernel;
}

// Returns the nodes in the order of their dependencies. A launch on one stream is a chain. Its kernels may overlap (programmatic
// dependent launch): such edges have data, and the driver refuses to tell them without it.
std::vector<CUgraphNode> chain_of(CUgraph graph) {
  static auto* const get_roots =
      driver<CUresult(CUgraph, CUgraphNode*, size_t*)>("cuGraphGetRootNodes");
  static auto* const get_edges =
      driver<CUresult(CUgraph, CUgraphNode*, CUgraphNode*, CUgraphEdgeData*, size_t*)>(
          "cuGraphGetEdges_v2");
  if (get_roots == nullptr || get_edges == nullptr) return {};
  size_t count = 0;
  if (get_roots(graph, nullptr, &count) != CUDA_SUCCESS || count != 1) return {};
  CUgraphNode node = nullptr;
  if (get_roots(graph, &node, &count) != CUDA_SUCCESS) return {};
  if (get_edges(graph, nullptr, nullptr, nullptr, &count) != CUDA_SUCCESS) return {};
  std::vector<CUgraphNode> from(count), to(count);
  std::vector<CUgraphEdgeData> data(count);
  if (count > 0 && get_edges(graph, from.data(), to.data(), data.data(), &count) != CUDA_SUCCESS)
    return {};
  std::map<CUgraphNode, CUgraphNode> next;
  for (size_t i = 0; i < count; ++i) next[from[i]] = to[i];
  std::vector<CUgraphNode> chain;
  for (; node != nullptr && chain.size() <= count; node = next[node]) chain.push_back(node);
  return chain;
}

}  // namespace

std::vector<results::Kernel> launched_kernels(
    const std::function<cudaError_t(cudaStream_t)>& launch) {
  static auto* const type_of =
      driver<CUresult(CUgraphNode, CUgraphNodeType*)>("cuGraphNodeGetType");
  static auto* const parameters_of =
      driver<CUresult(CUgraphNode, CUDA_KERNEL_NODE_PARAMS_v2*)>("cuGraphKernelNodeGetParams_v2");
  Stream stream;
  Graph graph;
  if (type_of == nullptr || parameters_of == nullptr) return {};
  if (cudaStreamCreateWithFlags(stream.out(), cudaStreamNonBlocking) != cudaSuccess) return {};
  if (cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed) != cudaSuccess) return {};
  const cudaError_t launched = launch(stream.get());
  const cudaError_t ended = cudaStreamEndCapture(stream.get(), graph.out());
  std::vector<results::Kernel> kernels;
  if (launched == cudaSuccess && ended == cudaSuccess) {
    for (CUgraphNode node : chain_of(graph.get())) {
      CUDA_KERNEL_NODE_PARAMS_v2 parameters{};
      CUgraphNodeType type{};
      if (type_of(node, &type) != CUDA_SUCCESS || type != CU_GRAPH_NODE_TYPE_KERNEL) continue;
      if (parameters_of(node, &parameters) == CUDA_SUCCESS)
        kernels.push_back(kernel_of(parameters));
    }
  }
  static_cast<void>(cudaGetLastError());  // a launch that cannot be captured is no error of the run
  return kernels;
}

}  // namespace runner
