// Memory that graphs allocate. Its address is fixed when the node is added to the graph. The memory is there from the node that
// allocates it to the node that frees it, or until the program frees it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace simulator {
struct SimulatedDevice;
}

namespace simulator::runtime {

struct Graph;

/// One allocation of a graph. It ends for good with the last node, launch or free that refers to it.
struct GraphMemory {
  GraphMemory() = default;
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  void* pointer() const { return asked.dptr; }
  /// True if a launch has left it to the program to free.
  bool is_left() const { return left != nullptr; }

  cudaMemAllocNodeParams asked{};
  SimulatedDevice* device = nullptr;
  bool has_begun = false;             // True if a launch has allocated it before
  std::shared_ptr<GraphMemory> left;  // itself, while it is the program's
  std::weak_ptr<Graph> executable;    // the one executable graph with it
};

/// Reserves an address of the device that `wanted` names. Returns nullptr if there is no memory.
std::shared_ptr<GraphMemory> make_graph_memory(const cudaMemAllocNodeParams& wanted);
/// Returns the memory of a graph that starts here, or nullptr if there is none.
std::shared_ptr<GraphMemory> find_graph_memory(const void* pointer);

/// What one node does: it allocates memory, or frees it.
struct MemoryStep {
  std::shared_ptr<GraphMemory> memory;
  bool frees = false;
};
/// Checks the steps of a launch, and notes what it will leave to the program. Memory that an earlier launch has left is refused, or
/// added to `freed_first` if the executable graph frees it by itself.
cudaError_t plan_launch(const std::vector<MemoryStep>& steps, bool frees_by_itself,
                        std::vector<std::shared_ptr<GraphMemory>>& freed_first);

/// Does the work of a node. Returns false if the device has no memory left.
bool begin(GraphMemory& memory);
void end(GraphMemory& memory);

}  // namespace simulator::runtime
