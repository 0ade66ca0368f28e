// Graphs of device work: nodes, and the order between them.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <variant>
#include <vector>

#include "simulator/runtime/api/streams.hpp"
#include "simulator/runtime/api/work.hpp"

namespace simulator::runtime {

struct Graph;

/// The work of a node that is no work of a stream.
struct ChildWork {
  std::shared_ptr<Graph> graph;
};
struct RecordWork {
  cudaEvent_t event = nullptr;
};
struct WaitWork {
  cudaEvent_t event = nullptr;
};
using NodeWork = std::variant<Work, ChildWork, RecordWork, WaitWork>;

struct Node {
  cudaGraphNode_t handle = nullptr;
  NodeWork work;
  std::vector<cudaGraphNode_t> after;  // the nodes that must be done before, each once
  cudaGraphNode_t original =
      nullptr;  // of a node in a clone or an executable graph: the node that it was made from
  std::vector<void*> arguments = {};  // what cudaGraphKernelNodeGetParams gave
};

struct Graph {
  cudaGraph_t handle = nullptr;
  std::vector<std::unique_ptr<Node>> nodes;  // in the order in which they were added

  Node* find(cudaGraphNode_t handle) const;
  /// Returns the node that was made from this one, or nullptr.
  Node* made_from(cudaGraphNode_t original) const;
};

/// A graph that can be launched: a copy that later changes of its graph do not reach.
struct ExecutableGraph {
  std::shared_ptr<Graph> graph;
  bool frees_memory = false;  // True if a launch frees the memory that an earlier one has left
};

/// The graphs of the program. Handles are numbers that are never reused, so a stale handle is recognised and never
/// dereferenced.
struct Graphs {
  std::mutex mutex;  // guards all of it, and the graphs
  uintptr_t last = 0x1000;
  std::unordered_map<cudaGraph_t, std::shared_ptr<Graph>> graphs;
  std::unordered_map<cudaGraphExec_t, ExecutableGraph> executables;
  std::unordered_map<cudaGraphNode_t, Graph*> graph_of_node;

  std::shared_ptr<Graph> find(cudaGraph_t handle) const;
  Node* find_node(cudaGraphNode_t handle) const;
};
Graphs& graphs();

// The lock of graphs() is held for all functions below.

/// Makes an empty graph.
std::shared_ptr<Graph> make_graph();
/// Adds a node. Returns nullptr if a dependency is no node of the graph.
Node* add_node(Graph& graph, NodeWork work, const std::vector<cudaGraphNode_t>& after);
/// Forgets the graph's handle, and its nodes' and children's.
void forget(Graph& graph);
/// Returns a copy with new nodes. The copy has a handle of its own.
std::shared_ptr<Graph> clone(const Graph& graph);
/// Returns the memory that the graph allocates, in its child graphs too.
std::vector<std::shared_ptr<GraphMemory>> memory_of(const Graph& graph);
/// Returns the type that CUDA gives the node.
cudaGraphNodeType type_of(const Node& node);
/// Returns the nodes in an order in which they may run: in the order in which they were added, as far as possible. Returns fewer
/// if they wait for each other in a circle.
std::vector<const Node*> ordered(const Graph& graph);
/// Returns the work of all nodes in such an order, with that of child graphs.
std::vector<NodeWork> work_of(const Graph& graph);

/// Adds work to the capture of a captured stream.
cudaError_t record(Recorder& recorder, NodeWork work);

}  // namespace simulator::runtime
