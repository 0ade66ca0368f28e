// The API's functions for graphs: their nodes, and executable graphs.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/memory.hpp"
#include "simulator/runtime/api/refusal.hpp"
#include "simulator/runtime/api/simulated_device.hpp"
#include "simulator/runtime/graph/graph.hpp"

namespace simulator::runtime {
namespace {

// --- from CUDA's parameters to work, and back ---

cudaError_t work_from(const cudaKernelNodeParams* given, NodeWork* work) {
  if (given == nullptr || given->extra != nullptr) return cudaErrorInvalidValue;
  const auto& [grid, block] = std::pair{given->gridDim, given->blockDim};
  KernelWork kernel;
  const LaunchShape shape{.grid = {grid.x, grid.y, grid.z},
                          .block = {block.x, block.y, block.z},
                          .dynamic_shared = given->sharedMemBytes};
  const cudaError_t error = prepare(given->func, shape, given->kernelParams, &kernel);
  if (error == cudaSuccess) *work = Work{std::move(kernel)};
  return error;
}

cudaError_t work_from(const cudaMemcpy3DParms* given, NodeWork* work) {
  std::optional<CopyWork> copy;
  if (given != nullptr) copy = copy_of(*given);
  if (!copy) return cudaErrorInvalidValue;
  const cudaError_t error = check(*copy);
  if (error == cudaSuccess) *work = Work{*copy};
  return error;
}

struct Line {
  void* to;
  const void* from;
  size_t bytes;
  cudaMemcpyKind kind;
};

cudaError_t work_from(const Line& given, NodeWork* work) {
  const CopyWork copy{.to = {given.to, given.bytes},
                      .from = {const_cast<void*>(given.from), given.bytes},
                      .box = {.width = given.bytes},
                      .kind = given.kind};
  const cudaError_t error = check(copy);
  if (error == cudaSuccess) *work = Work{copy};
  return error;
}

cudaError_t work_from(const cudaMemsetParams* given, NodeWork* work) {
  if (given == nullptr) return cudaErrorInvalidValue;
  const uint32_t element = given->elementSize;
  if (element != 1 && element != 2 && element != 4) return cudaErrorInvalidValue;
  const size_t width = given->width * element;
  const FillWork fill{.to = {given->dst, given->height > 1 ? given->pitch : width},
                      .value = given->value,
                      .element = element,
                      .box = {.width = width, .height = given->height}};
  const cudaError_t error = check(fill);
  if (error == cudaSuccess) *work = Work{fill};
  return error;
}

cudaError_t work_from(const cudaHostNodeParams* given, NodeWork* work) {
  if (given == nullptr || given->fn == nullptr) return cudaErrorInvalidValue;
  *work = Work{HostWork{given->fn, given->userData}};
  return cudaSuccess;
}

cudaPitchedPtr pitched(const Region& region, const Box& box) {
  const size_t rows = region.pitch == 0 ? box.height : region.slice / region.pitch;
  return {region.pointer, region.pitch, box.width, rows};
}

// --- nodes ---

// Returns the work of this kind of a node; nullptr if the node does other work.
template <typename Kind>
Kind* work_in(Node* node) {
  Work* const work = node == nullptr ? nullptr : std::get_if<Work>(&node->work);
  return work == nullptr ? nullptr : std::get_if<Kind>(work);
}

// True for a node that allocates memory or frees it.
bool has_memory(Node& node) {
  return work_in<AllocateWork>(&node) != nullptr || work_in<FreeWork>(&node) != nullptr;
}

// Adds a node with this work to a graph. The lock is held.
cudaError_t add(cudaGraphNode_t* handle, cudaGraph_t graph_handle,
                const cudaGraphNode_t* dependencies, size_t count, NodeWork work) {
  const std::shared_ptr<Graph> graph = graphs().find(graph_handle);
  if (handle == nullptr || graph == nullptr || (count > 0 && dependencies == nullptr))
    return cudaErrorInvalidValue;
  const Node* const node = add_node(*graph, std::move(work), {dependencies, dependencies + count});
  if (node == nullptr) return cudaErrorInvalidValue;
  *handle = node->handle;
  return cudaSuccess;
}

// Makes work from CUDA's parameters, and adds a node with it.
template <typename Given>
cudaError_t add_from(cudaGraphNode_t* handle, cudaGraph_t graph,
                     const cudaGraphNode_t* dependencies, size_t count, const Given& given,
                     const char* name = __builtin_FUNCTION()) {
  return asynchronous(
      [&] {
        NodeWork work;
        const cudaError_t error = work_from(given, &work);
        if (error != cudaSuccess) return error;
        const std::lock_guard lock(graphs().mutex);
        return add(handle, graph, dependencies, count, std::move(work));
      },
      name);
}

// Gives a node other parameters for the same kind of work.
template <typename Kind, typename Given>
cudaError_t change(const std::function<Node*()>& find, const Given& given, const char* name) {
  return asynchronous(
      [&] {
        NodeWork work;
        const cudaError_t error = work_from(given, &work);
        if (error != cudaSuccess) return error;
        const std::lock_guard lock(graphs().mutex);
        Node* const node = find();
        if (work_in<Kind>(node) == nullptr) return cudaErrorInvalidValue;
        node->work = std::move(work);
        return cudaSuccess;
      },
      name);
}
template <typename Kind, typename Given>
cudaError_t change_node(cudaGraphNode_t node, const Given& given,
                        const char* name = __builtin_FUNCTION()) {
  return change<Kind>([&] { return graphs().find_node(node); }, given, name);
}
template <typename Kind, typename Given>
cudaError_t change_executable(cudaGraphExec_t executable, cudaGraphNode_t node, const Given& given,
                              const char* name = __builtin_FUNCTION()) {
  return change<Kind>(
      [&]() -> Node* {
        const auto found = graphs().executables.find(executable);
        return found == graphs().executables.end() ? nullptr : found->second.graph->made_from(node);
      },
      given, name);
}

// Returns the parameters of a node's work: `give` takes the work.
template <typename Kind, typename Give>
cudaError_t parameters_of(cudaGraphNode_t handle, const void* place, Give give,
                          const char* name = __builtin_FUNCTION()) {
  return asynchronous(
      [&] {
        const std::lock_guard lock(graphs().mutex);
        Node* const node = graphs().find_node(handle);
        const Kind* const work = work_in<Kind>(node);
        if (place == nullptr || work == nullptr) return cudaErrorInvalidValue;
        give(*node, *work);
        return cudaSuccess;
      },
      name);
}

// Fills an array of the program with `all`, as the functions do that list nodes: without an array only the number.
cudaError_t list(const std::vector<cudaGraphNode_t>& all, cudaGraphNode_t* into, size_t* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  if (into != nullptr) {
    for (size_t i = 0; i < *count; ++i) into[i] = i < all.size() ? all[i] : nullptr;
    *count = std::min(*count, all.size());
  } else {
    *count = all.size();
  }
  return cudaSuccess;
}

// Lists the nodes that `collect` returns for a graph.
template <typename Collect>
cudaError_t list_of(cudaGraph_t handle, cudaGraphNode_t* into, size_t* count, Collect collect,
                    const char* name = __builtin_FUNCTION()) {
  return asynchronous(
      [&] {
        const std::lock_guard lock(graphs().mutex);
        const std::shared_ptr<Graph> graph = graphs().find(handle);
        return graph == nullptr ? cudaErrorInvalidValue : list(collect(*graph), into, count);
      },
      name);
}

// Changes the edges between pairs of nodes.
template <typename Change>
cudaError_t change_edges(cudaGraph_t handle, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                         size_t count, Change change_edge,
                         const char* name = __builtin_FUNCTION()) {
  return asynchronous(
      [&] {
        const std::lock_guard lock(graphs().mutex);
        const std::shared_ptr<Graph> graph = graphs().find(handle);
        if (graph == nullptr || (count > 0 && (from == nullptr || to == nullptr)))
          return cudaErrorInvalidValue;
        for (size_t i = 0; i < count; ++i) {
          Node* const node = graph->find(to[i]);
          if (node == nullptr || graph->find(from[i]) == nullptr || from[i] == to[i])
            return cudaErrorInvalidValue;
          const auto edge = std::ranges::find(node->after, from[i]);
          if (!change_edge(*node, edge, from[i])) return cudaErrorInvalidValue;
        }
        return cudaSuccess;
      },
      name);
}

// --- executable graphs ---

cudaError_t instantiate(cudaGraphExec_t* handle, cudaGraph_t graph_handle,
                        unsigned long long flags) {
  const std::lock_guard lock(graphs().mutex);
  const std::shared_ptr<Graph> graph = graphs().find(graph_handle);
  if (handle == nullptr || graph == nullptr) return cudaErrorInvalidValue;
  if (ordered(*graph).size() != graph->nodes.size()) {
    return refuse(cudaErrorInvalidValue, [] {
      return Refusal{
          "cudaGraphInstantiate was given a graph whose nodes wait for each other in a circle",
          "check the dependencies: each node can only come after earlier ones", ""};
    });
  }
  const auto memory = memory_of(*graph);
  const auto is_in_use = [](const auto& one) { return !one->executable.expired(); };
  if (std::ranges::any_of(memory, is_in_use)) {
    return refuse(cudaErrorNotSupported, [] {
      return Refusal{
          "cudaGraphInstantiate was given a graph that allocates memory, and that has an "
          "executable graph already",
          "cudaGraphExecDestroy for that one before", ""};
    });
  }
  *handle = reinterpret_cast<cudaGraphExec_t>(++graphs().last);
  const bool frees_memory = (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
  const auto& executable = graphs().executables[*handle] = {clone(*graph), frees_memory};
  for (const auto& one : memory) one->executable = executable.graph;
  return cudaSuccess;
}

// Compares a graph with an executable one. Returns success if only the parameters of nodes differ.
cudaGraphExecUpdateResultInfo compare(const Graph& old, const Graph& graph) {
  if (old.nodes.size() != graph.nodes.size())
    return {cudaGraphExecUpdateErrorTopologyChanged, nullptr, nullptr};
  std::unordered_map<cudaGraphNode_t, cudaGraphNode_t> partner;  // by the old node
  for (size_t i = 0; i < old.nodes.size(); ++i)
    partner[old.nodes[i]->handle] = graph.nodes[i]->handle;
  for (size_t i = 0; i < old.nodes.size(); ++i) {
    const Node& before = *old.nodes[i];
    const Node& now = *graph.nodes[i];
    if (type_of(before) != type_of(now))
      return {cudaGraphExecUpdateErrorNodeTypeChanged, now.handle, nullptr};
    std::vector<cudaGraphNode_t> after;
    for (const cudaGraphNode_t node : before.after) after.push_back(partner[node]);
    if (!std::ranges::is_permutation(after, now.after))
      return {cudaGraphExecUpdateErrorTopologyChanged, now.handle, nullptr};
    const auto* const child = std::get_if<ChildWork>(&before.work);
    if (child == nullptr) continue;
    const auto inner = compare(*child->graph, *std::get<ChildWork>(now.work).graph);
    if (inner.result != cudaGraphExecUpdateSuccess) return inner;
  }
  return {cudaGraphExecUpdateSuccess, nullptr, nullptr};
}

// Runs the work of a launch.
void run(const std::vector<NodeWork>& all, const std::vector<std::shared_ptr<Recording>>& records,
         const Issue& issue) {
  auto record = records.begin();
  for (const NodeWork& one : all) {
    if (const auto* const work = std::get_if<Work>(&one)) {
      perform(*work, issue);
    } else if (std::holds_alternative<RecordWork>(one)) {
      (*record++)->time = Recording::Clock::now().time_since_epoch().count();
    }
  }
}

bool names_no_event(const NodeWork& work) {
  const auto* const record = std::get_if<RecordWork>(&work);
  const auto* const wait = std::get_if<WaitWork>(&work);
  return (record != nullptr && !find_event(record->event)) ||
         (wait != nullptr && !find_event(wait->event));
}

// Returns the work of a launch: that of its nodes, and before it what frees the memory that an earlier launch has left.
cudaError_t plan(const ExecutableGraph& executable, std::vector<NodeWork>& work) {
  work = work_of(*executable.graph);
  if (std::ranges::any_of(work, names_no_event)) return cudaErrorInvalidResourceHandle;
  std::vector<MemoryStep> steps;
  for (const NodeWork& one : work) {
    const auto* const of_stream = std::get_if<Work>(&one);
    if (of_stream == nullptr) continue;
    if (const auto* const begun = std::get_if<AllocateWork>(of_stream))
      steps.push_back({begun->memory, false});
    if (const auto* const freed = std::get_if<FreeWork>(of_stream))
      steps.push_back({freed->memory, true});
  }
  std::vector<std::shared_ptr<GraphMemory>> freed_first;
  const cudaError_t error = plan_launch(steps, executable.frees_memory, freed_first);
  for (const auto& memory : freed_first)
    work.insert(work.begin(), Work{FreeWork{memory->pointer(), memory}});
  return error;
}

// Queues a launch as one step of the stream: its nodes run one after the other.
cudaError_t launch(const std::shared_ptr<KnownStream>& stream, const ExecutableGraph& executable) {
  std::vector<NodeWork> planned;
  if (const cudaError_t error = plan(executable, planned); error != cudaSuccess) return error;
  const auto all = std::make_shared<const std::vector<NodeWork>>(std::move(planned));
  std::vector<std::shared_ptr<Recording>> records;
  std::vector<cudaEvent_t> events;  // of the records
  Step step{.has_site = true};
  for (const NodeWork& one : *all) {
    if (const auto* const work = std::get_if<Work>(&one)) {
      const Step of_node = step_of(*work);
      step.is_seen_by_host |= of_node.is_seen_by_host;
      step.needs_program |= of_node.needs_program;
    } else if (const auto* const record = std::get_if<RecordWork>(&one)) {
      records.push_back(std::make_shared<Recording>());
      events.push_back(record->event);
    } else if (const auto* const wait = std::get_if<WaitWork>(&one)) {
      const std::optional<Event> event =
          find_event(wait->event);  // another thread may destroy it now
      if (event && event->last != nullptr) step.after.push_back(event->last->point);
    }
  }
  step.work = [all, records](const Issue& issue) { run(*all, records, issue); };
  const Issue issue = submit_step(stream, std::move(step));
  for (size_t i = 0; i < records.size(); ++i) {
    records[i]->point = {stream->queue, issue.position, issue.clock};
    set_recording(events[i], records[i]);
  }
  for (const NodeWork& one : *all) {
    if (const auto* const work = std::get_if<Work>(&one)) publish_queued(*stream, *work, issue);
  }
  return cudaSuccess;
}

// Runs `then` with an executable graph and a stream.
template <typename Then>
cudaError_t with_executable(cudaGraphExec_t handle, cudaStream_t stream_handle, Then then,
                            const char* name = __builtin_FUNCTION()) {
  return asynchronous(
      [&] {
        ExecutableGraph executable;
        {
          const std::lock_guard lock(graphs().mutex);
          const auto found = graphs().executables.find(handle);
          if (found == graphs().executables.end()) return cudaErrorInvalidValue;
          executable = found->second;
        }
        return with_stream(stream_handle,
                           [&](const auto& stream) { return then(stream, executable); });
      },
      name);
}

}  // namespace
}  // namespace simulator::runtime

using namespace simulator::runtime;

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int flags) {
  return asynchronous([&] {
    if (graph == nullptr || flags != 0) return cudaErrorInvalidValue;
    const std::lock_guard lock(graphs().mutex);
    *graph = make_graph()->handle;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
  return asynchronous([&] {
    const std::lock_guard lock(graphs().mutex);
    const std::shared_ptr<Graph> graph = graphs().find(handle);
    if (graph == nullptr) return cudaErrorInvalidValue;
    forget(*graph);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphClone(cudaGraph_t* copy, cudaGraph_t original) {
  return asynchronous([&] {
    const std::lock_guard lock(graphs().mutex);
    const std::shared_ptr<Graph> graph = graphs().find(original);
    if (copy == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    if (!memory_of(*graph).empty()) return cudaErrorNotSupported;
    *copy = clone(*graph)->handle;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaKernelNodeParams* parameters) {
  return add_from(node, graph, dependencies, count, parameters);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemcpy3DParms* parameters) {
  return add_from(node, graph, dependencies, count, parameters);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, size_t count, void* to,
                                     const void* from, size_t bytes, cudaMemcpyKind kind) {
  return add_from(node, graph, dependencies, count, Line{to, from, bytes, kind});
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemsetParams* parameters) {
  return add_from(node, graph, dependencies, count, parameters);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, size_t count,
                                 const cudaHostNodeParams* parameters) {
  return add_from(node, graph, dependencies, count, parameters);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, size_t count) {
  return asynchronous([&] {
    const std::lock_guard lock(graphs().mutex);
    return add(node, graph, dependencies, count, Work{EmptyWork{}});
  });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies, size_t count,
                                       cudaGraph_t child) {
  return asynchronous([&] {
    const std::lock_guard lock(graphs().mutex);
    const std::shared_ptr<Graph> inner = graphs().find(child);
    if (inner == nullptr) return cudaErrorInvalidValue;
    return add(node, graph, dependencies, count, ChildWork{clone(*inner)});
  });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* dependencies, size_t count,
                                        cudaEvent_t event) {
  return asynchronous([&] {
    if (!find_event(event)) return cudaErrorInvalidValue;
    const std::lock_guard lock(graphs().mutex);
    return add(node, graph, dependencies, count, RecordWork{event});
  });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* dependencies, size_t count,
                                      cudaEvent_t event) {
  return asynchronous([&] {
    if (!find_event(event)) return cudaErrorInvalidValue;
    const std::lock_guard lock(graphs().mutex);
    return add(node, graph, dependencies, count, WaitWork{event});
  });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, size_t count,
                                     cudaMemAllocNodeParams* wanted) {
  return asynchronous([&] {
    if (wanted == nullptr || wanted->bytesize == 0) return cudaErrorInvalidValue;
    wanted->dptr = nullptr;
    if (const cudaError_t error = check(wanted->poolProps); error != cudaSuccess) return error;
    const auto memory = make_graph_memory(*wanted);
    if (memory == nullptr) return cudaErrorMemoryAllocation;
    const std::lock_guard lock(graphs().mutex);
    const cudaError_t error = add(node, graph, dependencies, count, Work{AllocateWork{memory}});
    if (error == cudaSuccess) wanted->dptr = memory->pointer();
    return error;
  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* dependencies, size_t count,
                                    void* pointer) {
  return asynchronous([&] {
    const auto memory = find_graph_memory(pointer);
    if (memory == nullptr) return cudaErrorInvalidValue;
    const std::lock_guard lock(graphs().mutex);
    return add(node, graph, dependencies, count, Work{FreeWork{pointer, memory}});
  });
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           cudaMemAllocNodeParams* parameters) {
  return parameters_of<AllocateWork>(node, parameters, [&](const Node&, const AllocateWork& work) {
    *parameters = work.memory->asked;
  });
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
  return parameters_of<FreeWork>(node, pointer, [&](const Node&, const FreeWork& work) {
    *static_cast<void**>(pointer) = work.pointer;
  });
}

// Graphs keep no memory beyond their allocations.
cudaError_t cudaDeviceGraphMemTrim(int device) {
  return asynchronous(
      [&] { return simulator::is_device(device) ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, size_t count) {
  return change_edges(graph, from, to, count, [](Node& node, auto edge, cudaGraphNode_t before) {
    if (edge != node.after.end()) return false;
    node.after.push_back(before);
    return true;
  });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, size_t count) {
  return change_edges(graph, from, to, count, [](Node& node, auto edge, cudaGraphNode_t) {
    if (edge == node.after.end()) return false;
    node.after.erase(edge);
    return true;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
  return list_of(handle, nodes, count, [](const Graph& graph) {
    std::vector<cudaGraphNode_t> all;
    for (const auto& node : graph.nodes) all.push_back(node->handle);
    return all;
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
  return list_of(handle, nodes, count, [](const Graph& graph) {
    std::vector<cudaGraphNode_t> roots;
    for (const auto& node : graph.nodes) {
      if (node->after.empty()) roots.push_back(node->handle);
    }
    return roots;
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t handle, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              size_t* count) {
  return asynchronous([&] {
    const std::lock_guard lock(graphs().mutex);
    const std::shared_ptr<Graph> graph = graphs().find(handle);
    if (graph == nullptr || count == nullptr || (from == nullptr) != (to == nullptr))
      return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> starts;
    std::vector<cudaGraphNode_t> ends;
    for (const auto& node : graph->nodes) {
      for (const cudaGraphNode_t before : node->after) {
        starts.push_back(before);
        ends.push_back(node->handle);
      }
    }
    size_t same = *count;
    const cudaError_t error = list(starts, from, &same);
    return error != cudaSuccess ? error : list(ends, to, count);
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t handle, cudaGraphNode_t* dependencies,
                                         size_t* count) {
  return asynchronous([&] {
    const std::lock_guard lock(graphs().mutex);
    const Node* const node = graphs().find_node(handle);
    return node == nullptr ? cudaErrorInvalidValue : list(node->after, dependencies, count);
  });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t handle, cudaGraphNode_t* dependents,
                                           size_t* count) {
  return asynchronous([&] {
    const std::lock_guard lock(graphs().mutex);
    const auto graph = graphs().graph_of_node.find(handle);
    if (graph == graphs().graph_of_node.end()) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> all;
    for (const auto& node : graph->second->nodes) {
      if (std::ranges::find(node->after, handle) != node->after.end()) all.push_back(node->handle);
    }
    return list(all, dependents, count);
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, cudaGraphNodeType* type) {
  return asynchronous([&] {
    const std::lock_guard lock(graphs().mutex);
    const Node* const node = graphs().find_node(handle);
    if (node == nullptr || type == nullptr) return cudaErrorInvalidValue;
    *type = type_of(*node);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original,
                                     cudaGraph_t clone_handle) {
  return asynchronous([&] {
    const std::lock_guard lock(graphs().mutex);
    const std::shared_ptr<Graph> copy = graphs().find(clone_handle);
    const Node* const found = copy == nullptr ? nullptr : copy->made_from(original);
    if (node == nullptr || found == nullptr) return cudaErrorInvalidValue;
    *node = found->handle;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
  return asynchronous([&] {
    const std::lock_guard lock(graphs().mutex);
    const auto found = graphs().graph_of_node.find(handle);
    if (found == graphs().graph_of_node.end()) return cudaErrorInvalidValue;
    Graph& graph = *found->second;
    if (has_memory(*graph.find(handle))) return cudaErrorNotSupported;
    if (const auto* const child = std::get_if<ChildWork>(&graph.find(handle)->work))
      forget(*child->graph);
    graphs().graph_of_node.erase(found);
    std::erase_if(graph.nodes, [&](const auto& node) { return node->handle == handle; });
    for (const auto& node : graph.nodes) std::erase(node->after, handle);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t handle, cudaGraph_t* graph) {
  return asynchronous([&] {
    const std::lock_guard lock(graphs().mutex);
    const Node* const node = graphs().find_node(handle);
    const auto* const child = node == nullptr ? nullptr : std::get_if<ChildWork>(&node->work);
    if (child == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    *graph = child->graph->handle;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
  return parameters_of<KernelWork>(node, parameters, [&](Node& in, const KernelWork& work) {
    const auto& [grid, block] = std::pair{work.shape.grid, work.shape.block};
    in.arguments = work.arguments.pointers();
    *parameters = {const_cast<void*>(work.function),
                   dim3(grid.x, grid.y, grid.z),
                   dim3(block.x, block.y, block.z),
                   static_cast<unsigned int>(work.shape.dynamic_shared),
                   in.arguments.data(),
                   nullptr};
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams* parameters) {
  return change_node<KernelWork>(node, parameters);
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* parameters) {
  return parameters_of<CopyWork>(node, parameters, [&](const Node&, const CopyWork& work) {
    *parameters = {};
    parameters->srcPtr = pitched(work.from, work.box);
    parameters->dstPtr = pitched(work.to, work.box);
    parameters->extent = {work.box.width, work.box.height, work.box.depth};
    parameters->kind = work.kind;
  });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemcpy3DParms* parameters) {
  return change_node<CopyWork>(node, parameters);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           size_t bytes, cudaMemcpyKind kind) {
  return change_node<CopyWork>(node, Line{to, from, bytes, kind});
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters) {
  return parameters_of<FillWork>(node, parameters, [&](const Node&, const FillWork& work) {
    *parameters = {
        work.to.pointer, work.to.pitch, work.value, work.element, work.box.width / work.element,
        work.box.height};
  });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
  return change_node<FillWork>(node, parameters);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters) {
  return parameters_of<HostWork>(node, parameters, [&](const Node&, const HostWork& work) {
    *parameters = {work.function, work.data};
  });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters) {
  return change_node<HostWork>(node, parameters);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags) {
  return asynchronous([&] { return instantiate(executable, graph, flags); });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
  return change_executable<KernelWork>(executable, node, parameters);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
  return change_executable<CopyWork>(executable, node, parameters);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               void* to, const void* from, size_t bytes,
                                               cudaMemcpyKind kind) {
  return change_executable<CopyWork>(executable, node, Line{to, from, bytes, kind});
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
  return change_executable<FillWork>(executable, node, parameters);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
  return change_executable<HostWork>(executable, node, parameters);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph_handle,
                                cudaGraphExecUpdateResultInfo* result) {
  return asynchronous([&] {
    const std::lock_guard lock(graphs().mutex);
    const auto found = graphs().executables.find(executable);
    const std::shared_ptr<Graph> graph = graphs().find(graph_handle);
    if (found == graphs().executables.end() || graph == nullptr || result == nullptr)
      return cudaErrorInvalidValue;
    *result = compare(*found->second.graph, *graph);
    if (result->result != cudaGraphExecUpdateSuccess) return cudaErrorGraphExecUpdateFailure;
    forget(*found->second.graph);
    found->second.graph = clone(*graph);
    for (const auto& memory : memory_of(*graph)) memory->executable = found->second.graph;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream_handle) {
  return with_executable(executable, stream_handle,
                         [](const auto& stream, const ExecutableGraph& of) {
                           if (stream->recorder != nullptr) {
                             std::unique_lock lock(graphs().mutex);
                             ChildWork child{clone(*of.graph)};
                             lock.unlock();
                             return record(*stream->recorder, std::move(child));
                           }
                           const cudaError_t error = check_implicit(*stream);
                           return error != cudaSuccess ? error : launch(stream, of);
                         });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream_handle) {
  return with_executable(executable, stream_handle,
                         [](const auto&, const ExecutableGraph&) { return cudaSuccess; });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return asynchronous([&] {
    const std::lock_guard lock(graphs().mutex);
    const auto found = graphs().executables.find(executable);
    if (found == graphs().executables.end()) return cudaErrorInvalidValue;
    forget(*found->second.graph);
    graphs().executables.erase(found);
    return cudaSuccess;
  });
}

}  // extern "C"
