#include "simulator/runtime/graph/graph.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace simulator::runtime {

Node* Graph::find(cudaGraphNode_t node) const {
  const auto found =
      std::ranges::find_if(nodes, [&](const auto& one) { return one->handle == node; });
  return found == nodes.end() ? nullptr : found->get();
}

Node* Graph::made_from(cudaGraphNode_t original) const {
  const auto found =
      std::ranges::find_if(nodes, [&](const auto& one) { return one->original == original; });
  if (found != nodes.end()) return found->get();
  for (const auto& node : nodes) {  // a child's node
    const auto* const child = std::get_if<ChildWork>(&node->work);
    Node* const inner = child == nullptr ? nullptr : child->graph->made_from(original);
    if (inner != nullptr) return inner;
  }
  return nullptr;
}

std::shared_ptr<Graph> Graphs::find(cudaGraph_t handle) const {
  const auto found = graphs.find(handle);
  return found == graphs.end() ? nullptr : found->second;
}

Node* Graphs::find_node(cudaGraphNode_t handle) const {
  const auto found = graph_of_node.find(handle);
  return found == graph_of_node.end() ? nullptr : found->second->find(handle);
}

Graphs& graphs() {
  static Graphs* const instance = new Graphs;  // static destructors may still make calls
  return *instance;
}

std::shared_ptr<Graph> make_graph() {
  auto graph = std::make_shared<Graph>();
  graph->handle = reinterpret_cast<cudaGraph_t>(++graphs().last);
  graphs().graphs[graph->handle] = graph;
  return graph;
}

Node* add_node(Graph& graph, NodeWork work, const std::vector<cudaGraphNode_t>& after) {
  auto node = std::make_unique<Node>();
  for (const cudaGraphNode_t before : after) {
    if (graph.find(before) == nullptr) return nullptr;
    if (std::ranges::find(node->after, before) == node->after.end()) node->after.push_back(before);
  }
  node->work = std::move(work);
  node->handle = reinterpret_cast<cudaGraphNode_t>(++graphs().last);
  graphs().graph_of_node[node->handle] = &graph;
  return graph.nodes.emplace_back(std::move(node)).get();
}

void forget(Graph& graph) {
  for (const auto& node : graph.nodes) {
    graphs().graph_of_node.erase(node->handle);
    if (const auto* const child = std::get_if<ChildWork>(&node->work)) forget(*child->graph);
  }
  graphs().graphs.erase(graph.handle);
}

std::shared_ptr<Graph> clone(const Graph& graph) {
  std::shared_ptr<Graph> copy = make_graph();
  std::unordered_map<cudaGraphNode_t, cudaGraphNode_t> copies;
  for (const auto& node : graph.nodes) {
    Node* const added = add_node(*copy, node->work, {});
    if (auto* const child = std::get_if<ChildWork>(&added->work))
      child->graph = clone(*child->graph);
    added->original = node->handle;
    copies[node->handle] = added->handle;
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const cudaGraphNode_t before : graph.nodes[i]->after)
      copy->nodes[i]->after.push_back(copies[before]);
  }
  return copy;
}

std::vector<std::shared_ptr<GraphMemory>> memory_of(const Graph& graph) {
  std::vector<std::shared_ptr<GraphMemory>> all;
  for (const auto& node : graph.nodes) {
    if (const auto* const child = std::get_if<ChildWork>(&node->work)) {
      const auto inner = memory_of(*child->graph);
      all.insert(all.end(), inner.begin(), inner.end());
    } else if (const auto* const work = std::get_if<Work>(&node->work)) {
      if (const auto* const begun = std::get_if<AllocateWork>(work)) all.push_back(begun->memory);
    }
  }
  return all;
}

cudaGraphNodeType type_of(const Node& node) {
  struct Types {
    cudaGraphNodeType operator()(const EmptyWork&) { return cudaGraphNodeTypeEmpty; }
    cudaGraphNodeType operator()(const KernelWork&) { return cudaGraphNodeTypeKernel; }
    cudaGraphNodeType operator()(const CopyWork&) { return cudaGraphNodeTypeMemcpy; }
    cudaGraphNodeType operator()(const FillWork&) { return cudaGraphNodeTypeMemset; }
    cudaGraphNodeType operator()(const LibraryWork&) { return cudaGraphNodeTypeKernel; }
    cudaGraphNodeType operator()(const HostWork&) { return cudaGraphNodeTypeHost; }
    cudaGraphNodeType operator()(const AllocateWork&) { return cudaGraphNodeTypeMemAlloc; }
    cudaGraphNodeType operator()(const FreeWork&) { return cudaGraphNodeTypeMemFree; }
    cudaGraphNodeType operator()(const ChildWork&) { return cudaGraphNodeTypeGraph; }
    cudaGraphNodeType operator()(const RecordWork&) { return cudaGraphNodeTypeEventRecord; }
    cudaGraphNodeType operator()(const WaitWork&) { return cudaGraphNodeTypeWaitEvent; }
    cudaGraphNodeType operator()(const Work& work) { return std::visit(*this, work); }
  };
  return std::visit(Types{}, node.work);
}

std::vector<const Node*> ordered(const Graph& graph) {
  std::unordered_map<cudaGraphNode_t, size_t> index;
  for (size_t i = 0; i < graph.nodes.size(); ++i) index[graph.nodes[i]->handle] = i;
  std::vector<size_t> missing(graph.nodes.size());
  std::vector<std::vector<size_t>> dependents(graph.nodes.size());
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    missing[i] = graph.nodes[i]->after.size();
    for (const cudaGraphNode_t before : graph.nodes[i]->after)
      dependents[index[before]].push_back(i);
    if (missing[i] == 0) ready.push(i);
  }
  std::vector<const Node*> order;
  while (!ready.empty()) {
    const size_t next = ready.top();
    ready.pop();
    order.push_back(graph.nodes[next].get());
    for (const size_t dependent : dependents[next]) {
      if (--missing[dependent] == 0) ready.push(dependent);
    }
  }
  return order;
}

std::vector<NodeWork> work_of(const Graph& graph) {
  std::vector<NodeWork> all;
  for (const Node* const node : ordered(graph)) {
    if (const auto* const child = std::get_if<ChildWork>(&node->work)) {
      for (NodeWork& work : work_of(*child->graph)) all.push_back(std::move(work));
    } else {
      all.push_back(node->work);
    }
  }
  return all;
}

}  // namespace simulator::runtime
