// Graphs: captured from streams, and put together node by node.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "simulator/runtime/api/simulated_device.hpp"

namespace {

constexpr int COUNT = 32;
constexpr size_t BYTES = COUNT * sizeof(int);

__global__ void add(int* x, int by) { x[threadIdx.x] += by; }
__global__ void copy(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x]; }

class Graphs : public testing::Test {
 protected:
  void SetUp() override {
    simulator::current_device().hazards.set_output(false);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEventCreate(&event);
    cudaEventCreate(&other_event);
    cudaMalloc(&a, BYTES);
    cudaMalloc(&b, BYTES);
    cudaMemset(a, 0, BYTES);
    cudaMemset(b, 0, BYTES);
  }
  void TearDown() override {
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    cudaEventDestroy(event);
    cudaEventDestroy(other_event);
    cudaGetLastError();
    simulator::current_device().hazards.clear();
  }
  static int value_of(const int* pointer) {
    int value = 0;
    cudaMemcpy(&value, pointer, sizeof value, cudaMemcpyDefault);
    return value;
  }
  // Runs the graph once.
  void run(cudaGraph_t graph) {
    cudaGraphExec_t executable = nullptr;
    ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(executable, s), cudaSuccess);
    EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess) << "the launch has a copy";
    EXPECT_EQ(cudaStreamSynchronize(s), cudaSuccess);
  }
  static size_t nodes_of(cudaGraph_t graph) {
    size_t count = 0;
    cudaGraphGetNodes(graph, nullptr, &count);
    return count;
  }
  static cudaKernelNodeParams kernel(void* function, void** arguments) {
    cudaKernelNodeParams parameters = {};
    parameters.func = function;
    parameters.gridDim = dim3(1);
    parameters.blockDim = dim3(COUNT);
    parameters.kernelParams = arguments;
    return parameters;
  }

  cudaStream_t s = nullptr, t = nullptr;
  cudaEvent_t event = nullptr, other_event = nullptr;
  int *a = nullptr, *b = nullptr;
  cudaGraph_t graph = nullptr;
};

TEST_F(Graphs, AreCapturedAndRunLater) {
  ASSERT_EQ(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), cudaSuccess);
  add<<<1, COUNT, 0, s>>>(a, 1);
  cudaMemcpyAsync(b, a, BYTES, cudaMemcpyDeviceToDevice, s);
  cudaMemsetAsync(a, 0, BYTES, s);
  ASSERT_EQ(cudaStreamEndCapture(s, &graph), cudaSuccess);
  EXPECT_EQ(value_of(a), 0);
  EXPECT_EQ(nodes_of(graph), 3u);
  run(graph);
  EXPECT_EQ(value_of(b), 1);
  run(graph);
  EXPECT_EQ(value_of(b), 1);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaErrorInvalidValue) << "destroyed before";
}

TEST_F(Graphs, CaptureOtherStreamsThroughEvents) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  add<<<1, COUNT, 0, s>>>(a, 1);
  cudaEventRecord(event, s);
  cudaStreamWaitEvent(t, event, 0);
  copy<<<1, COUNT, 0, t>>>(a, b);
  cudaEventRecord(other_event, t);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long ids[2] = {};
  const cudaGraphNode_t* last = nullptr;
  size_t count = 0;
  cudaStreamGetCaptureInfo(s, &status, &ids[0]);
  EXPECT_EQ(cudaStreamGetCaptureInfo(t, &status, &ids[1], nullptr, &last, &count), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_EQ(count, 1u);
  cudaStreamWaitEvent(s, other_event, 0);
  ASSERT_EQ(cudaStreamEndCapture(s, &graph), cudaSuccess);
  cudaStreamIsCapturing(t, &status);
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  run(graph);
  EXPECT_EQ(value_of(b), 1);
  cudaGraphDestroy(graph);
}

TEST_F(Graphs, CaptureALaunchOfAnotherGraphAsAChild) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  add<<<1, COUNT, 0, s>>>(a, 1);
  cudaStreamEndCapture(s, &graph);
  cudaGraphExec_t inner = nullptr;
  cudaGraphInstantiate(&inner, graph, nullptr, nullptr, 0);
  cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal);
  cudaGraphLaunch(inner, t);
  cudaGraphLaunch(inner, t);
  cudaGraph_t outer = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(t, &outer), cudaSuccess);
  cudaGraphNode_t node = nullptr;
  size_t one = 1;
  cudaGraphGetRootNodes(outer, &node, &one);
  cudaGraphNodeType type;
  EXPECT_EQ(cudaGraphNodeGetType(node, &type), cudaSuccess);
  EXPECT_EQ(type, cudaGraphNodeTypeGraph);
  run(outer);
  EXPECT_EQ(value_of(a), 2);
  cudaGraphExecDestroy(inner);
  cudaGraphDestroy(graph);
  cudaGraphDestroy(outer);
}

TEST_F(Graphs, AreLostByCallsThatACaptureForbids) {
  const auto spoil = [&](cudaError_t expected, auto call) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    EXPECT_EQ(call(), expected);
    cudaStreamCaptureStatus status;
    cudaStreamIsCapturing(s, &status);
    EXPECT_EQ(status, cudaStreamCaptureStatusInvalidated);
    EXPECT_EQ(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(graph, nullptr);
  };
  int host = 0;
  void* memory = nullptr;
  spoil(cudaErrorStreamCaptureUnsupported, [&] { return cudaStreamSynchronize(s); });
  spoil(cudaErrorStreamCaptureUnsupported, [&] { return cudaStreamQuery(s); });
  spoil(cudaErrorStreamCaptureUnsupported, [&] { return cudaDeviceSynchronize(); });
  spoil(cudaErrorStreamCaptureUnsupported, [&] { return cudaMalloc(&memory, 4); });
  spoil(cudaErrorStreamCaptureImplicit,
        [&] { return cudaMemcpy(&host, a, 4, cudaMemcpyDeviceToHost); });
  spoil(cudaErrorStreamCaptureImplicit, [&] {
    add<<<1, COUNT>>>(a, 1);
    return cudaGetLastError();
  });
  spoil(cudaErrorStreamCaptureIsolation, [&] {
    cudaEventRecord(event, t);
    return cudaStreamWaitEvent(s, event, 0);
  });
  EXPECT_EQ(value_of(a), 0);
}

TEST_F(Graphs, KeepToTheModesOfCaptures) {
  void* memory = nullptr;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  std::thread([&] { EXPECT_EQ(cudaMalloc(&memory, 4), cudaSuccess) << "another thread"; }).join();
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(mode, cudaStreamCaptureModeGlobal);
  void* more = nullptr;
  EXPECT_EQ(cudaMalloc(&more, 4), cudaSuccess) << "this thread allows it";
  cudaThreadExchangeStreamCaptureMode(&mode);
  std::thread([&] {
    EXPECT_EQ(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureWrongThread);
  }).join();
  EXPECT_EQ(cudaStreamEndCapture(s, &graph), cudaSuccess);
  cudaGraphDestroy(graph);
  EXPECT_EQ(cudaStreamEndCapture(s, &graph), cudaErrorIllegalState);
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal),
            cudaErrorStreamCaptureUnsupported);
  cudaFree(memory);
  cudaFree(more);
}

TEST_F(Graphs, RunTheirNodesInTheOrderOfTheirDependencies) {
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  void* into_b[] = {&a, &b};
  int by = 5;
  void* five[] = {&a, &by};
  cudaGraphNode_t last, first;
  const cudaKernelNodeParams copying = kernel(reinterpret_cast<void*>(copy), into_b);
  const cudaKernelNodeParams adding = kernel(reinterpret_cast<void*>(add), five);
  cudaGraphAddKernelNode(&last, graph, nullptr, 0, &copying);
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &adding);
  EXPECT_EQ(cudaGraphAddDependencies(graph, &first, &last, 1), cudaSuccess);
  EXPECT_EQ(cudaGraphAddDependencies(graph, &first, &last, 1), cudaErrorInvalidValue) << "twice";
  cudaGraphNode_t from = nullptr;
  cudaGraphNode_t to = nullptr;
  size_t count = 1;
  EXPECT_EQ(cudaGraphGetEdges(graph, &from, &to, &count), cudaSuccess);
  EXPECT_EQ(from, first);
  EXPECT_EQ(to, last);
  run(graph);
  EXPECT_EQ(value_of(b), 5);

  EXPECT_EQ(cudaGraphAddDependencies(graph, &last, &first, 1), cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  EXPECT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaErrorInvalidValue) << "a circle";
  cudaGraphDestroy(graph);
}

TEST_F(Graphs, HaveNodesOfEveryKind) {
  cudaGraphCreate(&graph, 0);
  int host[COUNT] = {};
  int calls = 0;
  cudaGraphNode_t fill, move, call, empty, record, wait, child;
  cudaMemsetParams value = {};
  value.dst = a;
  value.value = 0x00070007;
  value.elementSize = 4;
  value.width = COUNT;
  value.height = 1;
  EXPECT_EQ(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &value), cudaSuccess);
  EXPECT_EQ(
      cudaGraphAddMemcpyNode1D(&move, graph, &fill, 1, host, a, BYTES, cudaMemcpyDeviceToHost),
      cudaSuccess);
  const cudaHostNodeParams function = {[](void* data) { ++*static_cast<int*>(data); }, &calls};
  EXPECT_EQ(cudaGraphAddHostNode(&call, graph, &move, 1, &function), cudaSuccess);
  EXPECT_EQ(cudaGraphAddEmptyNode(&empty, graph, &call, 1), cudaSuccess);
  EXPECT_EQ(cudaGraphAddEventRecordNode(&record, graph, &empty, 1, event), cudaSuccess);
  EXPECT_EQ(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, other_event), cudaSuccess);
  cudaGraph_t inner = nullptr;
  cudaGraphCreate(&inner, 0);
  cudaGraphNode_t again;
  cudaGraphAddHostNode(&again, inner, nullptr, 0, &function);
  EXPECT_EQ(cudaGraphAddChildGraphNode(&child, graph, &wait, 1, inner), cudaSuccess);
  cudaGraphDestroy(inner);
  EXPECT_EQ(nodes_of(graph), 7u);
  run(graph);
  EXPECT_EQ(host[31], 0x00070007);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  cudaMemsetParams read = {};
  EXPECT_EQ(cudaGraphMemsetNodeGetParams(fill, &read), cudaSuccess);
  EXPECT_EQ(read.width, value.width);
  EXPECT_EQ(cudaGraphMemsetNodeGetParams(move, &read), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphDestroyNode(call), cudaSuccess);
  EXPECT_EQ(nodes_of(graph), 6u);
  EXPECT_EQ(cudaGraphAddEmptyNode(&empty, graph, &call, 1), cudaErrorInvalidValue);
  cudaGraphDestroy(graph);
}

// Memory that a launch leaves to the program could be freed once.
TEST_F(Graphs, LeaveNoMemoryIfTheirLaunchFails) {
  cudaGraphCreate(&graph, 0);
  cudaMemAllocNodeParams wanted{};
  wanted.poolProps.allocType = cudaMemAllocationTypePinned;
  wanted.poolProps.location.type = cudaMemLocationTypeDevice;
  wanted.bytesize = BYTES;
  cudaGraphNode_t allocated, record;
  ASSERT_EQ(cudaGraphAddMemAllocNode(&allocated, graph, nullptr, 0, &wanted), cudaSuccess);
  cudaEvent_t gone = nullptr;
  cudaEventCreate(&gone);
  ASSERT_EQ(cudaGraphAddEventRecordNode(&record, graph, &allocated, 1, gone), cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0), cudaSuccess);
  cudaEventDestroy(gone);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(cudaGraphLaunch(executable, s), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaFree(wanted.dptr), cudaErrorInvalidValue);
  cudaGraphExecDestroy(executable);
}

TEST_F(Graphs, CanBeChangedWhenTheyAreExecutable) {
  cudaGraphCreate(&graph, 0);
  int by = 1;
  void* arguments[] = {&a, &by};
  cudaKernelNodeParams adding = kernel(reinterpret_cast<void*>(add), arguments);
  cudaGraphNode_t node;
  cudaGraphAddKernelNode(&node, graph, nullptr, 0, &adding);
  cudaGraphExec_t executable = nullptr;
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, s);
  by = 10;
  EXPECT_EQ(cudaGraphExecKernelNodeSetParams(executable, node, &adding), cudaSuccess);
  cudaGraphLaunch(executable, s);
  EXPECT_EQ(cudaStreamSynchronize(s), cudaSuccess);
  EXPECT_EQ(value_of(a), 11) << "a queued launch keeps its arguments";
  by = 100;
  EXPECT_EQ(cudaGraphKernelNodeSetParams(node, &adding), cudaSuccess);
  cudaGraphExecUpdateResultInfo result = {};
  EXPECT_EQ(cudaGraphExecUpdate(executable, graph, &result), cudaSuccess);
  EXPECT_EQ(result.result, cudaGraphExecUpdateSuccess);
  cudaGraphLaunch(executable, s);
  cudaStreamSynchronize(s);
  EXPECT_EQ(value_of(a), 111);
  cudaGraphNode_t empty;
  cudaGraphAddEmptyNode(&empty, graph, &node, 1);
  EXPECT_EQ(cudaGraphExecUpdate(executable, graph, &result), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(result.result, cudaGraphExecUpdateErrorTopologyChanged);
  cudaGraph_t clone = nullptr;
  cudaGraphNode_t cloned = nullptr;
  EXPECT_EQ(cudaGraphClone(&clone, graph), cudaSuccess);
  EXPECT_EQ(cudaGraphNodeFindInClone(&cloned, node, clone), cudaSuccess);
  cudaKernelNodeParams read = {};
  EXPECT_EQ(cudaGraphKernelNodeGetParams(cloned, &read), cudaSuccess);
  EXPECT_EQ(*static_cast<int*>(read.kernelParams[1]), 100);
  cudaGraphDestroy(clone);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

TEST(PitchedMemory, InThreeDimensions) {
  const cudaExtent extent = make_cudaExtent(20, 3, 2);
  cudaPitchedPtr volume = {};
  ASSERT_EQ(cudaMalloc3D(&volume, extent), cudaSuccess);
  EXPECT_EQ(volume.pitch % 512, 0u);
  EXPECT_EQ(cudaMemset3D(volume, 7, extent), cudaSuccess);
  unsigned char host[2][3][20] = {};
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = volume;
  copy.dstPtr = make_cudaPitchedPtr(host, 20, 20, 3);
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToHost;
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  EXPECT_EQ(host[1][2][19], 7);
  copy.extent.depth = 3;
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaErrorInvalidValue) << "a plane too many";
  simulator::current_device().hazards.clear();
  cudaFree(volume.ptr);
}

}  // namespace
