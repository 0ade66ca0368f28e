// Launches that take the results of an earlier one: when they may, that nothing else tells them from launches that ran, and what
// makes a launch run.
#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "simulator/execute/launch/module.hpp"
#include "simulator/runtime/api/diagnostics.hpp"
#include "simulator/runtime/api/simulated_device.hpp"

namespace {

using simulator::Counters;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int COUNT = 64;
constexpr size_t BYTES = COUNT * sizeof(int);

// All kernels execute some thousand instructions, because a launch that takes no time is not worth keeping. Each step can be
// undone, so each value gives another result.
__host__ __device__ int scramble(int value) {
  auto x = static_cast<unsigned>(value);
  for (int i = 0; i < 500; ++i) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
  }
  return static_cast<int>(x);
}
__global__ void map(const int* from, int* to) { to[threadIdx.x] = scramble(from[threadIdx.x]); }
__global__ void map_in_place(int* x) { x[threadIdx.x] = scramble(x[threadIdx.x]); }
__global__ void map_half(const int* from, int* to) {
  if (threadIdx.x % 2 == 0) to[threadIdx.x] = scramble(from[threadIdx.x]);
}
__global__ void accumulate(const int* from, int* total) {
  atomicAdd(total, scramble(from[threadIdx.x]));
}
__global__ void map_either(const int* a, const int* b,
                           int* to) {  // one instruction, two allocations
  to[threadIdx.x] = scramble((threadIdx.x < COUNT / 2 ? a : b)[threadIdx.x]);
}
__global__ void map_through(int* const* places, int* to) {
  to[threadIdx.x] = scramble(places[threadIdx.x % 2][threadIdx.x]);
}
__device__ int of_the_device[COUNT];
__global__ void map_symbol(int* to) { to[threadIdx.x] = scramble(of_the_device[threadIdx.x]); }
__global__ void map_texture(cudaTextureObject_t texture, int* to) {
  to[threadIdx.x] = scramble(tex1Dfetch<int>(texture, static_cast<int>(threadIdx.x)));
}
__global__ void map_array(cudaTextureObject_t texture, int* to) {
  to[threadIdx.x] = scramble(tex1D<int>(texture, static_cast<float>(threadIdx.x) + 0.5f));
}
__global__ void ask_for_the_time(const int* from, long long* to) {
  to[threadIdx.x] = clock64() + scramble(from[threadIdx.x]);
}
__global__ void print(const int* from) {
  if (scramble(from[threadIdx.x]) == 0) printf("only 0 becomes 0\n");
}
__global__ void use_heap(const int* from, int* to) {
  int* const mine = new int(scramble(from[threadIdx.x]));
  to[threadIdx.x] = *mine;
  delete mine;
}
__global__ void race(const int* from, int* to) { to[0] = scramble(from[threadIdx.x]); }
__global__ void read(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x]; }

cudaTextureObject_t texture_of(int* buffer) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = buffer;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = BYTES;
  const cudaTextureDesc description{};
  cudaTextureObject_t made{};
  EXPECT_EQ(cudaCreateTextureObject(&made, &resource, &description, nullptr), cudaSuccess);
  return made;
}

class Repeats : public testing::Test {
 protected:
  void SetUp() override {
    simulator::current_device().hazards.set_output(false);
    simulator::current_device().hazards.clear();
    cudaMalloc(&a, BYTES);
    cudaMalloc(&b, BYTES);
    cudaMalloc(&c, BYTES);
    for (int i = 0; i < COUNT; ++i) numbers.push_back(i * i + 1);
    for (int* const buffer : {a, b, c}) fill(buffer, numbers);
    simulator::reset_counters();
  }
  void TearDown() override {
    simulator::repeat_launches(true);
    cudaDeviceSynchronize();
    simulator::clear_fault();
    for (int* const buffer : {a, b, c}) cudaFree(buffer);
    cudaGetLastError();
    simulator::current_device().hazards.clear();
  }

  static void fill(int* buffer, const std::vector<int>& values) {
    cudaMemcpy(buffer, values.data(), BYTES, cudaMemcpyHostToDevice);
  }
  static std::vector<int> values_of(const int* buffer) {
    std::vector<int> values(COUNT);
    cudaMemcpy(values.data(), buffer, BYTES, cudaMemcpyDeviceToHost);
    return values;
  }
  static uint64_t repeats() {
    cudaDeviceSynchronize();
    return simulator::counters().repeats;
  }
  // Launches five times. Returns how many of them were repeats.
  template <typename Launch>
  static uint64_t repeats_of(Launch launch) {
    const uint64_t before = repeats();
    for (int i = 0; i < 5; ++i) launch();
    return repeats() - before;
  }
  static std::vector<int> mapped(const std::vector<int>& values) {
    std::vector<int> results;
    for (const int value : values) results.push_back(scramble(value));
    return results;
  }

  int *a = nullptr, *b = nullptr, *c = nullptr;
  std::vector<int> numbers;
};

TEST_F(Repeats, BeginWithTheThirdOfEqualLaunches) {
  EXPECT_EQ(repeats_of([&] { map<<<1, COUNT>>>(a, b); }), 3);
  EXPECT_EQ(values_of(b), mapped(numbers));
  EXPECT_EQ(simulator::counters().launches, 5);
}

TEST_F(Repeats, TakeTimeToo) {
  EXPECT_EQ(repeats_of([&] { map<<<1, COUNT>>>(a, b); }), 3);
  simulator::reset_counters();
  map<<<1, COUNT>>>(a, b);
  EXPECT_EQ(repeats(), 1);
  EXPECT_GT(simulator::counters().seconds, 0);
}

TEST_F(Repeats, CountWhatTheLaunchesWouldCount) {
  const auto counted = [&](bool may_repeat) {
    simulator::repeat_launches(may_repeat);
    simulator::reset_counters();
    repeats_of([&] { map_half<<<2, COUNT / 2>>>(a, b); });
    return simulator::counters();
  };
  const Counters repeated = counted(true), run = counted(false);
  EXPECT_EQ(repeated.repeats, 3);
  EXPECT_EQ(run.repeats, 0);
  EXPECT_EQ(repeated.launches, run.launches);
  EXPECT_EQ(repeated.blocks, run.blocks);
  EXPECT_EQ(repeated.warp_instructions, run.warp_instructions);
  EXPECT_EQ(repeated.lane_instructions, run.lane_instructions);
  EXPECT_EQ(repeated.instructions, run.instructions);
  EXPECT_EQ(repeated.accesses, run.accesses);
}

TEST_F(Repeats, PutResultsInPlaceThatWereOverwritten) {
  const std::vector<int> zeros(COUNT);
  for (int i = 0; i < 5; ++i) {
    fill(b, zeros);
    accumulate<<<1, COUNT>>>(a, b);
  }
  EXPECT_EQ(repeats(), 3);
  uint32_t sum = 0;
  for (const int value : mapped(numbers)) sum += static_cast<uint32_t>(value);
  EXPECT_EQ(values_of(b)[0], static_cast<int>(sum));
}

TEST_F(Repeats, AreNotOfLaunchesInPlace) {
  EXPECT_EQ(repeats_of([&] { map_in_place<<<1, COUNT>>>(a); }), 0);
  std::vector<int> expected = numbers;
  for (int i = 0; i < 5; ++i) expected = mapped(expected);
  EXPECT_EQ(values_of(a), expected);
}

TEST_F(Repeats, AreOfSequencesInPlaceThatBeginAgain) {
  EXPECT_EQ(repeats_of([&] {
              fill(a, numbers);
              map_in_place<<<1, COUNT>>>(a);
              map_in_place<<<1, COUNT>>>(a);
            }),
            7);  // the first launch finds what it touches; the next two are kept
  EXPECT_EQ(values_of(a), mapped(mapped(numbers)));
}

TEST_F(Repeats, LookAtAllMemoryThatMatters) {
  int** places = nullptr;
  cudaMalloc(&places, 2 * sizeof *places);
  const int* const pointers[] = {a, b};
  cudaMemcpy(places, pointers, sizeof pointers, cudaMemcpyHostToDevice);
  const cudaTextureObject_t texture = texture_of(b);
  const auto launch_all = [&] {
    map_either<<<1, COUNT>>>(a, b, c);
    map_through<<<1, COUNT>>>(places, c);
    map_texture<<<1, COUNT>>>(texture, c);
    map_symbol<<<1, COUNT>>>(c);
  };
  EXPECT_EQ(repeats_of(launch_all), 12);
  std::vector<int> other = numbers;
  other[COUNT - 1] = -1;
  fill(
      b,
      other);  // the second allocation of one instruction, one behind a pointer, one behind a texture

  map_either<<<1, COUNT>>>(a, b, c);
  EXPECT_EQ(values_of(c), mapped(other));
  fill(c, numbers);
  map_through<<<1, COUNT>>>(places, c);
  EXPECT_EQ(values_of(c), mapped(other));
  fill(c, numbers);
  map_texture<<<1, COUNT>>>(texture, c);
  EXPECT_EQ(values_of(c), mapped(other));
  cudaMemcpyToSymbol(of_the_device, other.data(), BYTES);
  map_symbol<<<1, COUNT>>>(c);
  EXPECT_EQ(values_of(c), mapped(other));
  EXPECT_EQ(repeats(), 12);

  cudaDestroyTextureObject(texture);
  cudaFree(places);
}

TEST_F(Repeats, NameTheMemoryAsItIsNamedNow) {
  EXPECT_EQ(repeats_of([&] { map<<<1, COUNT>>>(a, b); }), 3);
  simulator::current_device().memory.set_name(reinterpret_cast<uint64_t>(a), "new name");
  simulator::reset_counters();
  map<<<1, COUNT>>>(a, b);
  const Counters counted = simulator::counters();
  EXPECT_TRUE(std::ranges::any_of(counted.accesses,
                                  [](const auto& row) { return row.buffer == "new name"; }));
}

// Between these launches host code does not look at memory: only they can tell that it has changed.
TEST_F(Repeats, SeeWhatLaunchesChange) {
  EXPECT_EQ(repeats_of([&] { map<<<1, COUNT>>>(a, b); }), 3);
  map_in_place<<<1, COUNT>>>(a);  // runs
  map<<<1, COUNT>>>(a, b);
  EXPECT_EQ(values_of(b), mapped(mapped(numbers)));

  EXPECT_EQ(repeats_of([&] {
              fill(a, numbers);
              map_in_place<<<1, COUNT>>>(a);
            }),
            4);
  fill(a, numbers);
  EXPECT_EQ(repeats_of([&] { map<<<1, COUNT>>>(a, c); }), 3);
  map_in_place<<<1, COUNT>>>(a);  // a repeat
  map<<<1, COUNT>>>(a, c);
  EXPECT_EQ(values_of(c), mapped(mapped(numbers)));
  EXPECT_EQ(repeats(), 11);
}

TEST_F(Repeats, AreNotOfDestroyedTextures) {
  const cudaTextureObject_t texture = texture_of(a);
  EXPECT_EQ(repeats_of([&] { map_texture<<<1, COUNT>>>(texture, b); }), 3);
  cudaDestroyTextureObject(texture);
  simulator::set_fault_output(false);
  map_texture<<<1, COUNT>>>(texture, b);
  EXPECT_NE(cudaDeviceSynchronize(), cudaSuccess);
  simulator::set_fault_output(true);
  simulator::clear_fault();
}

TEST_F(Repeats, SeeCopiesIntoArrays) {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaMallocArray(&array, &format, COUNT);
  cudaMemcpy2DToArray(array, 0, 0, numbers.data(), BYTES, BYTES, 1, cudaMemcpyHostToDevice);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  const cudaTextureDesc description{};
  cudaTextureObject_t texture{};
  ASSERT_EQ(cudaCreateTextureObject(&texture, &resource, &description, nullptr), cudaSuccess);
  EXPECT_EQ(repeats_of([&] { map_array<<<1, COUNT>>>(texture, b); }), 3);
  EXPECT_EQ(values_of(b), mapped(numbers));
  const std::vector<int> other(COUNT, 5);
  cudaMemcpy2DToArray(array, 0, 0, other.data(), BYTES, BYTES, 1, cudaMemcpyHostToDevice);
  map_array<<<1, COUNT>>>(texture, b);
  EXPECT_EQ(values_of(b), mapped(other));
  cudaDestroyTextureObject(texture);
  cudaFreeArray(array);
}

TEST_F(Repeats, AreNotOfFreedMemory) {
  EXPECT_EQ(repeats_of([&] { map<<<1, COUNT>>>(a, b); }), 3);
  cudaFree(a);
  simulator::set_fault_output(false);
  map<<<1, COUNT>>>(a, b);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  simulator::set_fault_output(true);
  simulator::clear_fault();
  a = nullptr;
}

TEST_F(Repeats, AreNotOfKernelsThatLookBeyondMemory) {
  long long* times = nullptr;
  cudaMalloc(&times, COUNT * sizeof *times);
  EXPECT_EQ(repeats_of([&] { ask_for_the_time<<<1, COUNT>>>(a, times); }), 0);
  EXPECT_EQ(repeats_of([&] { print<<<1, COUNT>>>(a); }), 0);
  EXPECT_EQ(repeats_of([&] { use_heap<<<1, COUNT>>>(a, b); }), 0);
  cudaFree(times);
}

TEST_F(Repeats, AreNotOfMemoryThatHostCodeUsesToo) {
  int* managed = nullptr;
  cudaMallocManaged(&managed, BYTES);
  EXPECT_EQ(repeats_of([&] { map<<<1, COUNT>>>(a, managed); }), 0);
  cudaFree(managed);
}

TEST_F(Repeats, ShowTheHazardsAgain) {
  const auto times = [&](bool may_repeat) {
    simulator::repeat_launches(may_repeat);
    simulator::current_device().hazards.clear();
    EXPECT_EQ(repeats_of([&] { race<<<1, COUNT>>>(a, b); }), may_repeat ? 3 : 0);
    const auto found = simulator::current_device().hazards.found();
    EXPECT_EQ(found.size(), 1);
    return found.empty() ? 0 : found[0].times;
  };
  EXPECT_EQ(times(true), times(false));
}

TEST_F(Repeats, AreOfOneShapeScheduleAndSearch) {
  EXPECT_EQ(repeats_of([&] { map<<<1, COUNT>>>(a, b); }), 3);
  map<<<1, COUNT / 2>>>(a, b);
  map<<<1, COUNT, 64>>>(a, b);
  map<<<1, COUNT>>>(a, c);
  simulator::set_schedule(7);
  map<<<1, COUNT>>>(a, b);
  simulator::set_schedule(0);
  simulator::look_for_hazards(false);
  map<<<1, COUNT>>>(a, b);
  simulator::look_for_hazards(true);
  simulator::repeat_launches(false);
  map<<<1, COUNT>>>(a, b);
  simulator::repeat_launches(true);
  EXPECT_EQ(repeats(), 3);
  map<<<1, COUNT>>>(a, b);
  EXPECT_EQ(repeats(), 4);
}

// Memory of a graph comes back at its address, and nobody has written it again.
TEST_F(Repeats, AreNotOfMemoryThatCameBack) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  int* brief = nullptr;
  std::vector<int> results(COUNT);
  EXPECT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaMallocAsync(&brief, BYTES, stream), cudaSuccess);
  map<<<1, COUNT, 0, stream>>>(a, brief);
  cudaMemcpyAsync(results.data(), brief, BYTES, cudaMemcpyDeviceToHost, stream);
  EXPECT_EQ(cudaFreeAsync(brief, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphInstantiate(&executable, graph), cudaSuccess);
  EXPECT_EQ(repeats_of([&] {
              std::ranges::fill(results, 0);
              EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
              cudaStreamSynchronize(stream);
              EXPECT_EQ(results, mapped(numbers));
            }),
            0);
  EXPECT_TRUE(simulator::current_device().hazards.found().empty());
  map<<<1, COUNT>>>(a, brief);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(simulator::last_fault()->kind, simulator::FaultKind::use_after_free);
  simulator::clear_fault();
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

TEST_F(Repeats, MeetOtherStreamsAsLaunchesDo) {
  cudaStream_t s = nullptr, t = nullptr;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  const auto said = [] {
    std::string text;
    for (const simulator::Hazard& hazard : simulator::current_device().hazards.found())
      text += hazard.message.text();
    simulator::current_device().hazards.clear();
    return text;
  };
  for (int i = 0; i < 4; ++i) {
    map<<<1, COUNT, 0, s>>>(a, b);
    cudaStreamSynchronize(s);
  }
  EXPECT_EQ(repeats(), 2);
  EXPECT_EQ(said(), "");
  map<<<1, COUNT, 0, s>>>(a, b);  // a repeat, and nothing orders it with the reader
  read<<<1, COUNT, 0, t>>>(b, c);
  cudaStreamSynchronize(s);
  EXPECT_EQ(repeats(), 3);
  cudaStreamSynchronize(t);
  EXPECT_THAT(said(), HasSubstr("while map of another stream may still write it"));

  read<<<1, COUNT, 0, t>>>(b, c);
  cudaStreamSynchronize(t);
  map<<<1, COUNT, 0, s>>>(a, b);
  cudaStreamSynchronize(s);
  EXPECT_EQ(repeats(), 4);
  EXPECT_EQ(said(), "");
  cudaMemcpyAsync(c, b, BYTES, cudaMemcpyDeviceToDevice, t);  // ordered
  cudaStreamSynchronize(t);
  map<<<1, COUNT, 0, s>>>(a, b);
  cudaMemcpyAsync(c, b, BYTES, cudaMemcpyDeviceToDevice, t);  // not ordered
  cudaStreamSynchronize(s);
  EXPECT_EQ(repeats(), 5);
  cudaStreamSynchronize(t);
  EXPECT_THAT(said(), HasSubstr("while map of another stream may still write it"));
  read<<<1, COUNT, 0, t>>>(b, c);
  map<<<1, COUNT, 0, s>>>(a, b);
  cudaStreamSynchronize(t);
  cudaStreamSynchronize(s);
  EXPECT_EQ(repeats(), 5) << "the earlier work is not ordered with it";
  EXPECT_THAT(said(), HasSubstr("of another stream"));
  cudaStreamDestroy(s);
  cudaStreamDestroy(t);
}

// Random launches, copies and fills leave the same memory, whether launches may be repeated or not.
TEST_F(Repeats, LeaveTheMemoryThatLaunchesLeave) {
  const auto run = [&](uint32_t seed, bool may_repeat) {
    simulator::repeat_launches(may_repeat);
    for (int* const buffer : {a, b, c}) fill(buffer, numbers);
    std::mt19937 random(seed);
    std::vector<std::vector<int>> seen;
    int* const buffers[] = {a, b, c};
    const auto pick = [&](uint32_t n) { return random() % n; };
    for (int step = 0; step < 200; ++step) {
      if (pick(3) > 0) {  // the same contents again, so that launches find them
        for (int* const buffer : buffers) fill(buffer, numbers);
      } else if (pick(2) == 0) {
        cudaMemset(buffers[pick(3)], static_cast<int>(pick(2)), BYTES / 2);
      }
      const uint32_t first = pick(3);
      int* const from = buffers[first];
      int* const to = buffers[(first + 1) % 3];
      const uint32_t kernel = pick(4);
      if (kernel == 0) map<<<1, COUNT>>>(from, to);
      if (kernel == 1) map_half<<<1, COUNT>>>(from, to);
      if (kernel == 2) map_in_place<<<1, COUNT>>>(to);
      if (kernel == 3) accumulate<<<1, COUNT>>>(from, to);
      seen.push_back(values_of(to));
    }
    return seen;
  };
  uint64_t repeated = 0;
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    simulator::reset_counters();
    const auto with = run(seed, true);
    repeated += repeats();
    EXPECT_EQ(with, run(seed, false)) << "seed " << seed;
  }
  EXPECT_GT(repeated, 100);
}

}  // namespace
