// Hazards: races and reads of unwritten memory, in kernels that are wrong in one place each. The same kernels have none
// once they are mended.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "simulator/execute/launch/module.hpp"
#include "simulator/runtime/api/simulated_device.hpp"

namespace {

using simulator::Hazard;
using simulator::HazardKind;
using testing::HasSubstr;

// Returns the line of this file that ends in "// mark: WHAT".
int line_of(const std::string& mark) {
  std::ifstream file(__FILE__);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.ends_with("// mark: " + mark)) return number;
  }
  return -1;
}

// Memory of the device, filled by a copy, or as cudaMalloc leaves it.
template <typename T>
class Buffer {
 public:
  explicit Buffer(size_t count) : count_(count) { cudaMalloc(&first_, count * sizeof(T)); }
  Buffer(size_t count, int byte) : Buffer(count) { cudaMemset(first_, byte, count * sizeof(T)); }
  ~Buffer() { cudaFree(first_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  operator T*() const { return first_; }
  std::vector<T> read() const {
    std::vector<T> host(count_);
    cudaMemcpy(host.data(), first_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
    return host;
  }

 private:
  size_t count_;
  T* first_ = nullptr;
};

class Hazards : public testing::Test {
 protected:
  void SetUp() override {
    simulator::look_for_hazards(true);
    simulator::current_device().hazards.set_output(false);
    simulator::current_device().hazards.clear();
  }
  void TearDown() override {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    simulator::current_device().hazards.clear();  // an intended hazard is no failure of the program
    simulator::set_worker_threads(0);
    simulator::set_schedule(0);
  }

  // Returns the hazards found since the last call.
  static std::vector<Hazard> found() {
    const std::vector<Hazard> hazards = simulator::current_device().hazards.found();
    simulator::current_device().hazards.clear();
    return hazards;
  }
  static void expect_none(const char* what) {
    for (const Hazard& hazard : found()) ADD_FAILURE() << what << "\n" << hazard.message.text();
  }
  // Expects one hazard, on the lines of these marks.
  static void expect_one(HazardKind kind, const std::string& mark, const std::string& other = "",
                         const std::string& advice = "") {
    const std::vector<Hazard> hazards = found();
    ASSERT_EQ(hazards.size(), 1u) << "for " << mark
                                  << (hazards.empty() ? "" : "\n" + hazards[0].message.text());
    const Hazard& hazard = hazards[0];
    EXPECT_EQ(hazard.kind, kind) << hazard.message.text();
    EXPECT_EQ(hazard.where.line, line_of(mark)) << hazard.message.text();
    if (!other.empty()) EXPECT_EQ(hazard.other.line, line_of(other)) << hazard.message.text();
    EXPECT_THAT(hazard.message.advice, HasSubstr(advice));
  }
};

// --- warps of a block ---------------------------------------------------------------------------------

template <bool FIRST, bool SECOND>
__global__ void rotate(int* out) {
  __shared__ int s[64];
  int value = threadIdx.x;
  for (int turn = 0; turn < 3; ++turn) {
    s[threadIdx.x] = value;  // mark: rotate writes
    if (FIRST) __syncthreads();
    value = s[(threadIdx.x + 32) % 64];  // mark: rotate reads
    if (SECOND) __syncthreads();
  }
  out[threadIdx.x] = value;
}

TEST_F(Hazards, ABarrierMissingBetweenAWriteAndARead) {
  const Buffer<int> out(64);
  rotate<true, true><<<1, 64>>>(out);
  expect_none("with both barriers");
  rotate<false, true><<<1, 64>>>(out);
  expect_one(HazardKind::race, "rotate writes", "rotate reads", "__syncthreads() between");
}

TEST_F(Hazards, ABarrierMissingBeforeTheNextTurnOverwrites) {
  const Buffer<int> out(64);
  rotate<true, false><<<1, 64>>>(out);
  expect_one(HazardKind::race, "rotate reads", "rotate writes", "__syncthreads() after");
}

__device__ int read_neighbour(const int* s) {
  return s[(threadIdx.x + 32) % 64];  // mark: helper reads
}

__global__ void rotate_once(int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;  // mark: caller writes
  out[threadIdx.x] = read_neighbour(s);
}

// In each turn reads the values that the previous turn has written. A function above has both accesses.
__global__ void rotate_by_helper(int* out, int turns) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  for (int turn = 0; turn < turns; ++turn) {
    const int value = read_neighbour(s);
    __syncthreads();
    s[threadIdx.x] = value;  // mark: turn writes
  }
  out[threadIdx.x] = s[threadIdx.x];
}

// A function that stands above its caller is no loop.
TEST_F(Hazards, ALoopIsNamedWhereThereIsOne) {
  const Buffer<int> out(64);
  rotate_once<<<1, 64>>>(out);
  expect_one(HazardKind::race, "caller writes", "helper reads", "__syncthreads() between");
  for (const int turns : {2, 40}) {
    rotate_by_helper<<<1, 64>>>(out, turns);
    expect_one(HazardKind::race, "turn writes", "helper reads", "of the loop's next turn");
  }
}

#define ON_ONE_LINE(...) __VA_ARGS__

template <int TURNS, bool HAS_BARRIER>
__global__ void one_line(int* out) {
  __shared__ int s[64];
  const unsigned t = threadIdx.x;
  for (int turn = 0; turn < TURNS; ++turn) {
    ON_ONE_LINE(s[t] = t; if (HAS_BARRIER) __syncthreads(); out[t] = s[63 - t]);  // mark: one line
  }
}

template <int TURNS, bool HAS_BARRIER>
__global__ void copy_on_one_line(const int* in, int* out) {
  __shared__ int s[64];
  const unsigned t = threadIdx.x;
  for (int turn = 0; turn < TURNS; ++turn) {
    ON_ONE_LINE(__pipeline_memcpy_async(&s[t], &in[t], 4); __pipeline_commit();
                __pipeline_wait_prior(0); if (HAS_BARRIER) __syncthreads(); out[t] = s[63 - t]);
  }
}

template <int TURNS>
__global__ void in_place(int* out) {
  __shared__ int s[64];
  const unsigned t = threadIdx.x;
  s[t] = t;
  for (int turn = 0; turn < TURNS; ++turn) {
    __syncthreads();
    s[t] += s[63 - t];  // mark: in place
  }
  __syncthreads();
  out[t] = s[t];
}

// Written first: it is read too early. Read first: it is overwritten, by a later turn or in place.
TEST_F(Hazards, OnOneLineTheOrderDecidesWhatToTry) {
  const Buffer<int> in(64, 0);
  const Buffer<int> out(64);
  one_line<1, false><<<1, 64>>>(out);
  expect_one(HazardKind::race, "one line", "one line", "between its write and its read");
  copy_on_one_line<1, false><<<1, 64>>>(in, out);
  const std::vector<Hazard> hazards = found();
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_THAT(hazards[0].message.advice, HasSubstr("between its wait for the copy and its read"));
  EXPECT_THAT(hazards[0].message.advice, HasSubstr("a thread waits for its own copies alone"));
  one_line<3, true><<<1, 64>>>(out);
  expect_one(HazardKind::race, "one line", "one line", "at the end of each turn of the loop");
  one_line<60, true><<<1, 64>>>(out);
  expect_one(HazardKind::race, "one line", "one line", "at the end of each turn of the loop");
  in_place<1><<<1, 64>>>(out);
  expect_one(HazardKind::race, "in place", "in place", "read into a variable");
  in_place<3><<<1, 64>>>(out);
  expect_one(HazardKind::race, "in place", "in place", "read into a variable");
}

TEST_F(Hazards, ARaceOfManyPlacesIsOneWithACount) {
  const Buffer<int> out(64);
  rotate<true, false><<<1, 64>>>(out);
  const std::vector<Hazard> hazards = found();
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_GE(hazards[0].times, 32u);
  EXPECT_EQ(hazards[0].kernel, "rotate<true, false>");
}

__global__ void count_in_shared(int* out, bool atomically) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (atomically)
    atomicAdd(&count, 1);
  else
    count = count + 1;  // mark: count
  __syncthreads();
  if (threadIdx.x == 0) *out = count;
}

TEST_F(Hazards, AtomicsAreNone) {
  const Buffer<int> out(1);
  count_in_shared<<<1, 128>>>(out, true);
  expect_none("atomicAdd");
  count_in_shared<<<1, 128>>>(out, false);
  expect_one(HazardKind::race, "count", "count", "atomicAdd");
}

__global__ void raise_together(int* out) {
  __shared__ int any;
  if (threadIdx.x == 0) any = 0;
  __syncthreads();
  if (threadIdx.x % 3 == 0) any = 1;
  __syncthreads();
  if (threadIdx.x == 0) *out = any;
}

TEST_F(Hazards, AllMayWriteTheSameValueOnOneLine) {
  const Buffer<int> out(1);
  raise_together<<<1, 128>>>(out);
  expect_none("the same value");
}

// Warps 0 and 1 fill, warps 2 and 3 read. They meet at a barrier with a number of its own.
template <bool WAIT>
__global__ void hand_over(int* out) {
  __shared__ int s[64];
  const int warp = threadIdx.x / 32;
  if (warp < 2) {
    s[threadIdx.x] = threadIdx.x;  // mark: producer
    if (WAIT) asm volatile("bar.arrive 1, 128;" ::: "memory");
  } else {
    if (WAIT) asm volatile("bar.sync 1, 128;" ::: "memory");
    out[threadIdx.x - 64] = s[threadIdx.x - 64];  // mark: consumer
  }
}

TEST_F(Hazards, NamedBarriersOrderThoseWhoCome) {
  const Buffer<int> out(64);
  hand_over<true><<<1, 128>>>(out);
  expect_none("bar.arrive and bar.sync");
  hand_over<false><<<1, 128>>>(out);
  expect_one(HazardKind::race, "producer", "consumer");
}

__global__ void pairs_of_warps(int* out, bool all) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = t;  // mark: pair writes
  // Warps 0 and 1 meet, and 2 and 3; the neighbour across is not among them.
  asm volatile("bar.sync %0, 64;" ::"r"(1 + t / 64) : "memory");
  out[t] = s[all ? (t + 32) % 128 : t / 64 * 64 + (t + 32) % 64];  // mark: pair reads
}

TEST_F(Hazards, ABarrierOfSomeWarpsOrdersNoOthers) {
  const Buffer<int> out(128);
  pairs_of_warps<<<1, 128>>>(out, false);
  expect_none("within the pairs");
  pairs_of_warps<<<1, 128>>>(out, true);
  expect_one(HazardKind::race, "pair writes", "pair reads");
}

// --- lanes of a warp ----------------------------------------------------------------------------------

template <int HOW>  // 0: nothing, 1: __syncwarp, 2: volatile
__global__ void shift_in_warp(int* out) {
  __shared__ int s[32];
  if (HOW == 2) {
    volatile int* v = s;
    v[threadIdx.x] = threadIdx.x;           // mark: volatile writes
    out[threadIdx.x] = v[threadIdx.x ^ 1];  // mark: volatile reads
    return;
  }
  s[threadIdx.x] = threadIdx.x;  // mark: lane writes
  if (HOW == 1) __syncwarp();
  out[threadIdx.x] = s[threadIdx.x ^ 1];  // mark: lane reads
}

TEST_F(Hazards, LanesDoNotRunInStep) {
  const Buffer<int> out(32);
  shift_in_warp<1><<<1, 32>>>(out);
  expect_none("__syncwarp");
  shift_in_warp<0><<<1, 32>>>(out);
  expect_one(HazardKind::race, "lane writes", "lane reads", "__syncwarp()");
}

TEST_F(Hazards, VolatileDoesNotMakeLanesRunInStep) {
  const Buffer<int> out(32);
  shift_in_warp<2><<<1, 32>>>(out);
  expect_one(HazardKind::race, "volatile writes", "volatile reads", "__syncwarp()");
}

__global__ void tiles_of_eight(int* out, int partner) {
  __shared__ int s[32];
  const int lane = threadIdx.x;
  s[lane] = lane;  // mark: tile writes
  __syncwarp(0xffu << (lane / 8 * 8));
  out[lane] = s[lane ^ partner];  // mark: tile reads
}

TEST_F(Hazards, ASyncOfSomeLanesOrdersNoOthers) {
  const Buffer<int> out(32);
  tiles_of_eight<<<1, 32>>>(out, 4);
  expect_none("within the tiles");
  tiles_of_eight<<<1, 32>>>(out, 8);
  expect_one(HazardKind::race, "tile writes", "tile reads");
}

__global__ void reverse_dynamic(float* out) {
  extern __shared__ float s[];
  s[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = s[63 - threadIdx.x];
}

// A demangler would read "s" as "short".
TEST_F(Hazards, ASharedVariableHasTheNameOfTheSource) {
  const Buffer<float> out(64);
  reverse_dynamic<<<1, 64, 64 * sizeof(float)>>>(out);
  const std::vector<Hazard> hazards = found();
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_THAT(hazards[0].message.where, testing::EndsWith(" of s"));
}

// --- global memory ------------------------------------------------------------------------------------

__global__ void shift_in_place(int* x, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + by < n) x[i] = x[i + by];  // mark: shift
}

TEST_F(Hazards, BlocksRunInAnyOrder) {
  const Buffer<int> x(256, 0);
  shift_in_place<<<4, 64>>>(x, 256, 0);
  expect_none("each its own");
  shift_in_place<<<4, 64>>>(x, 256, 64);
  expect_one(HazardKind::race, "shift", "shift", "two kernels");
}

__global__ void write_then_read(int* x, int* out, bool meet) {
  x[threadIdx.x] = threadIdx.x;  // mark: scratch writes
  if (meet) __syncthreads();
  out[threadIdx.x] = x[(threadIdx.x + 32) % 64];  // mark: scratch reads
}

// A kernel may write a buffer that one of its parameters is only read through.
__global__ void shift_one(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // mark: two parameters
}
__global__ void shift_by_a_table(int* const* table, const int* in) {
  table[0][threadIdx.x] = in[threadIdx.x];  // mark: a table
}
__global__ void shift_back(const int* in, int* end) {
  end[static_cast<int>(threadIdx.x) - 65] = in[threadIdx.x];  // mark: from the end
}
struct alignas(16) Task {
  int* out;
  int n, unused;
};
__global__ void shift_by_a_task(const int4* task, const int* in) {
  const int4 words = __ldg(task);  // the pointer comes in two pieces
  const Task copy = *reinterpret_cast<const Task*>(&words);
  copy.out[threadIdx.x] = in[threadIdx.x];  // mark: a task
}
#pragma pack(push, 4)
struct Packed {
  int n;
  int* out;
};
#pragma pack(pop)
__global__ void shift_packed(const int* in, Packed packed) {
  packed.out[threadIdx.x] = in[threadIdx.x];  // mark: packed
}

TEST_F(Hazards, OtherPointersMayLeadToABuffer) {
  int* numbers = nullptr;
  cudaMalloc(&numbers, 65 * sizeof(int));
  cudaMemset(numbers, 0, 65 * sizeof(int));
  shift_one<<<1, 32>>>(numbers + 1, numbers);
  cudaDeviceSynchronize();
  expect_one(HazardKind::race, "two parameters", "two parameters");
  int** table = nullptr;
  cudaMallocManaged(&table, sizeof *table);
  *table = numbers;
  shift_by_a_table<<<1, 32>>>(table, numbers + 1);
  cudaDeviceSynchronize();
  expect_one(HazardKind::race, "a table", "a table");
  shift_back<<<1, 32>>>(numbers + 1, numbers + 65);
  cudaDeviceSynchronize();
  expect_one(HazardKind::race, "from the end", "from the end");
  Task* task = nullptr;
  cudaMallocManaged(&task, sizeof *task);
  *task = {.out = numbers, .n = 32, .unused = 0};
  shift_by_a_task<<<1, 32>>>(reinterpret_cast<int4*>(task), numbers + 1);
  cudaDeviceSynchronize();
  expect_one(HazardKind::race, "a task", "a task");
  cudaFree(task);
  shift_packed<<<1, 32>>>(numbers + 1, {.n = 32, .out = numbers});
  cudaDeviceSynchronize();
  expect_one(HazardKind::race, "packed", "packed");
  int* others = nullptr;
  cudaMalloc(&others, 64 * sizeof(int));
  shift_one<<<1, 64>>>(numbers, others);
  expect_none("two buffers");
  cudaFree(others);
  cudaFree(table);
  cudaFree(numbers);
}

__global__ void count_and_read(int* count, int* out) {
  atomicAdd(count, 1);                 // mark: counted
  if (blockIdx.x == 0) *out = *count;  // mark: count read
}

TEST_F(Hazards, ANumberThatAtomicsChangeIsNotReadPlainly) {
  const Buffer<int> count(1, 0), out(1, 0);
  count_and_read<<<1, 1>>>(count, out);
  expect_none("one thread");
  count_and_read<<<2, 1>>>(count, out);
  expect_one(HazardKind::race, "count read", "counted",
             "a volatile or atomic read at hazards_test.cu");
}

TEST_F(Hazards, ABarrierOrdersABlocksGlobalMemory) {
  const Buffer<int> x(64, 0), out(64);
  write_then_read<<<1, 64>>>(x, out, true);
  expect_none("with a barrier");
  write_then_read<<<1, 64>>>(x, out, false);
  expect_one(HazardKind::race, "scratch writes", "scratch reads");
}

__global__ void set(int* x, int value) { x[threadIdx.x] = value; }

TEST_F(Hazards, LaunchesFollowEachOther) {
  const Buffer<int> x(64);
  set<<<1, 64>>>(x, 1);
  set<<<1, 64>>>(x, 2);
  set<<<3, 64>>>(x, 3);  // the same value, on one line
  expect_none("one launch after the other");
}

// Fills bytes. Each belongs to its own thread, in words that several threads share.
__global__ void fill_bytes(char* bytes, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  bytes[i / stride] = static_cast<char>(i);  // mark: bytes
}

TEST_F(Hazards, NeighbouringBytesAreNoRace) {
  const Buffer<char> bytes(192);
  fill_bytes<<<3, 63>>>(bytes, 1);
  expect_none("a byte each");
  fill_bytes<<<3, 63>>>(bytes, 2);
  expect_one(HazardKind::race, "bytes", "bytes");
}

// Lets the last block to come add up the parts of all blocks.
template <bool FENCE>
__global__ void sum_by_last_block(int* parts, unsigned* tickets, int* sum) {
  parts[blockIdx.x] = static_cast<int>(blockIdx.x);  // mark: part
  if (FENCE) __threadfence();
  if (atomicAdd(tickets, 1u) != gridDim.x - 1) return;
  int all = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) all += parts[b];  // mark: parts
  *sum = all;
}

TEST_F(Hazards, AFenceAndACounterOrderBlocks) {
  const Buffer<int> parts(40), sum(1);
  const Buffer<unsigned> tickets(1, 0);
  sum_by_last_block<true><<<40, 1>>>(parts, tickets, sum);
  expect_none("with a fence");
  cudaMemset(tickets, 0, sizeof(unsigned));
  sum_by_last_block<false><<<40, 1>>>(parts, tickets, sum);
  expect_one(HazardKind::race, "part", "parts", "__threadfence()");
}

// Blocks 0 to 2 read a number. Block 3 replaces it when blocks 0 and 1 have said that they are done; block 2 reads it again.
__global__ void replace_number(int* number, int* done, int* go, int* out) {
  if (blockIdx.x < 3) out[blockIdx.x] = *number;
  __threadfence();
  if (blockIdx.x < 2) atomicAdd(done, 1);
  if (blockIdx.x == 2) {
    while (atomicAdd(go, 0) == 0) {
    }
    out[2] = *number;  // mark: late look
  }
  if (blockIdx.x == 3) {
    while (atomicAdd(done, 0) < 2) {
    }
    __threadfence();
    atomicExch(go, 1);
    *number = 7;  // mark: replaced
  }
}

// Two blocks' reads of a place are remembered, and a third's are not, as long as nobody writes.
TEST_F(Hazards, AThirdBlockMayReadWhatAFourthReplaces) {
  simulator::set_worker_threads(1);
  const Buffer<int> number(1, 0), done(1, 0), go(1, 0), out(3);
  replace_number<<<4, 1>>>(number, done, go, out);
  expect_one(HazardKind::race, "late look", "replaced");
  simulator::set_worker_threads(0);
}

template <bool FENCE>
__global__ void locked_sum(int* lock, int* sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *sum = *sum + 1;  // mark: locked
  if (FENCE) __threadfence();
  atomicExch(lock, 0);
}

TEST_F(Hazards, ALockOrdersThoseWhoHoldIt) {
  const Buffer<int> lock(1, 0), sum(1, 0);
  locked_sum<true><<<20, 32>>>(lock, sum);
  expect_none("with a fence");
  EXPECT_EQ(sum.read()[0], 20);
  locked_sum<false><<<20, 32>>>(lock, sum);
  expect_one(HazardKind::race, "locked", "locked");
}

__global__ void greatest_by_swap(int* greatest, const int* values) {
  const int value = values[blockIdx.x * blockDim.x + threadIdx.x];
  int old = *greatest;
  while (value > old) {
    const int seen = atomicCAS(greatest, old, value);
    if (seen == old) break;
    old = seen;
  }
}

TEST_F(Hazards, APlainLoadBeforeALoopOfSwapsIsNoHazard) {
  const Buffer<int> greatest(1, 0), values(512, 0x01);
  greatest_by_swap<<<4, 128>>>(greatest, values);
  expect_none("the swap decides");
}

__global__ void greatest_if_greater(int* greatest, const int* values) {
  const int value = values[blockIdx.x * blockDim.x + threadIdx.x];
  if (value > *greatest) atomicMax(greatest, value);
}

TEST_F(Hazards, APlainLoadBeforeAnAtomicMaxIsNoHazard) {
  const Buffer<int> greatest(1, 0), values(512, 0x01);
  greatest_if_greater<<<4, 128>>>(greatest, values);
  expect_none("the atomic decides");
}

// The block that comes first writes, so the race exists in some orders only.
__global__ void first_come(int* turn, int* x, int* out) {
  if (threadIdx.x != 0) return;
  if (atomicAdd(turn, 1) == 0) x[0] = 1;  // mark: first writes
  if (blockIdx.x == 0) out[0] = x[0];     // mark: zero reads
}

TEST_F(Hazards, AnOrderMayHideARaceAndAnotherShowsIt) {
  const Buffer<int> turn(1), x(1, 0), out(1);
  simulator::set_worker_threads(1);
  int shown = 0;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    simulator::set_schedule(seed);
    cudaMemset(turn, 0, sizeof(int));
    first_come<<<16, 32>>>(turn, x, out);
    const std::vector<Hazard> hazards = found();
    if (seed == 0) EXPECT_TRUE(hazards.empty()) << "block 0 comes first there";
    shown += hazards.empty() ? 0 : 1;
  }
  EXPECT_GE(shown, 4);
}

TEST_F(Hazards, WhatIsToldDoesNotDependOnTheHostsThreads) {
  const Buffer<int> x(1024, 0);
  std::vector<std::string> texts;
  std::vector<uint64_t> times;
  for (int round = 0; round < 12; ++round) {
    simulator::set_worker_threads(1 + round % 4);
    shift_in_place<<<16, 64>>>(x, 1024, 64);
    const std::vector<Hazard> hazards = found();
    ASSERT_EQ(hazards.size(), 1u);
    texts.push_back(hazards[0].message.text());
    times.push_back(hazards[0].times);
  }
  EXPECT_THAT(texts, testing::Each(texts[0]));
  EXPECT_THAT(times, testing::Each(times[0]));
}

// --- unwritten memory -----------------------------------------------------------------------------------

__global__ void sum_shared(int* out, int filled) {
  __shared__ int s[64];
  const int t = static_cast<int>(threadIdx.x);
  if (t < filled) s[t] = 1;
  __syncthreads();
  if (threadIdx.x != 0) return;
  int all = 0;
#pragma unroll 1
  for (int i = 0; i < 64; ++i) all += s[i];  // mark: shared unwritten
  *out = all;
}

TEST_F(Hazards, SharedMemoryBeginsWithNothing) {
  const Buffer<int> out(1);
  sum_shared<<<1, 64>>>(out, 64);
  expect_none("all filled");
  sum_shared<<<1, 64>>>(out, 60);
  expect_one(HazardKind::unwritten_read, "shared unwritten", "", "write all of it before");
}

__global__ void load_matrix(unsigned* out, unsigned filled) {
  __shared__ __align__(16) unsigned rows[32];  // 8 of 16 bytes
  if (threadIdx.x < filled) rows[threadIdx.x] = threadIdx.x;
  __syncwarp();
  const auto row = static_cast<unsigned>(__cvta_generic_to_shared(&rows[threadIdx.x % 8 * 4]));
  asm volatile(  // mark: matrix unwritten
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
      : "=r"(out[threadIdx.x])
      : "r"(row)
      : "memory");
}

TEST_F(Hazards, AMatrixWithARowThatNobodyWrote) {
  const Buffer<unsigned> out(32);
  load_matrix<<<1, 32>>>(out, 32);
  expect_none("all filled");
  load_matrix<<<1, 32>>>(out, 28);
  expect_one(HazardKind::unwritten_read, "matrix unwritten", "", "write all of it before");
}

__global__ void load_matrix_of_others(unsigned* out, bool waits) {
  __shared__ __align__(16) unsigned rows[32];
  if (threadIdx.x >= 32) rows[threadIdx.x - 32] = threadIdx.x;  // mark: other warp fills matrix
  if (waits) __syncthreads();
  if (threadIdx.x >= 32) return;
  const auto row = static_cast<unsigned>(__cvta_generic_to_shared(&rows[threadIdx.x % 8 * 4]));
  asm volatile(  // mark: matrix of others
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
      : "=r"(out[threadIdx.x])
      : "r"(row)
      : "memory");
}

TEST_F(Hazards, AMatrixThatAnotherWarpFills) {
  const Buffer<unsigned> out(32);
  load_matrix_of_others<<<1, 64>>>(out, true);
  expect_none("a barrier in between");
  load_matrix_of_others<<<1, 64>>>(out, false);
  const std::vector<Hazard> hazards = found();
  EXPECT_TRUE(std::any_of(hazards.begin(), hazards.end(),
                          [](const Hazard& hazard) { return hazard.kind == HazardKind::race; }));
}

// The second warp reads what the first stores with stmatrix.
__global__ void store_matrix_for_others(unsigned* out, bool waits) {
  __shared__ __align__(16) unsigned rows[32];
  if (threadIdx.x < 32) {
    const auto row = static_cast<unsigned>(__cvta_generic_to_shared(&rows[threadIdx.x % 8 * 4]));
    asm volatile(  // mark: matrix for others
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(row), "r"(threadIdx.x)
        : "memory");
  }
  if (waits) __syncthreads();
  if (threadIdx.x >= 32) out[threadIdx.x - 32] = rows[threadIdx.x - 32];  // mark: reads matrix
}

TEST_F(Hazards, AMatrixThatAnotherWarpStores) {
  const Buffer<unsigned> out(32);
  store_matrix_for_others<<<1, 64>>>(out, true);
  expect_none("a barrier in between");
  store_matrix_for_others<<<1, 64>>>(out, false);
  expect_one(HazardKind::race, "matrix for others", "reads matrix", "__syncthreads()");
}

__global__ void sum_of_those_who_stay(int* out, unsigned n) {
  __shared__ int s[64];
  if (threadIdx.x >= n) return;
  s[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x != 0) return;
  int all = 0;
  for (int i = 0; i < 64; ++i) all += s[i];
  *out = all;
}

TEST_F(Hazards, WhoReturnsEarlyIsNamedForWhatIsMissing) {
  const Buffer<int> out(1);
  sum_of_those_who_stay<<<1, 64>>>(out, 64);
  expect_none("all stay");
  sum_of_those_who_stay<<<1, 64>>>(out, 40);
  const std::vector<Hazard> hazards = found();
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_THAT(hazards[0].message.what,
              HasSubstr("24 threads of the block (thread (40, 0, 0) first) returned before"));
  EXPECT_THAT(hazards[0].message.advice, HasSubstr("no early return"));
}

__global__ void maybe_flag(int* out, int n) {
  __shared__ int flag;
  if (threadIdx.x == 0 && n > 5) flag = 1;
  __syncthreads();
  int seen = 0;
  if (n > 5) seen = flag;
  out[threadIdx.x] = seen;
}

TEST_F(Hazards, NoLoadIsMovedBeforeTheIfThatGuardsIt) {
  const Buffer<int> out(64);
  maybe_flag<<<1, 64>>>(out, 3);
  expect_none("nobody reads the flag");
}

__global__ void add_one(int* x) { x[threadIdx.x] += 1; }  // mark: global unwritten

TEST_F(Hazards, GlobalMemoryBeginsWithNothing) {
  const Buffer<int> x(64);
  add_one<<<1, 64>>>(x);
  expect_one(HazardKind::unwritten_read, "global unwritten", "", "cudaMemset");
  add_one<<<1, 64>>>(x);
  expect_none("the kernel wrote it");
}

TEST_F(Hazards, ACopyOfTooFewBytesLeavesTheRest) {
  const Buffer<int> x(64);
  const std::vector<int> host(64, 1);
  cudaMemcpy(x, host.data(), 32 * sizeof(int), cudaMemcpyHostToDevice);
  add_one<<<1, 64>>>(x);
  const std::vector<Hazard> hazards = found();
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_EQ(hazards[0].times, 32u);
  EXPECT_THAT(hazards[0].message.where, HasSubstr("the first 128 of 256 bytes were written"));
}

TEST_F(Hazards, ACopyToTheHostOfWhatNobodyWrote) {
  const Buffer<int> x(64);
  EXPECT_EQ(x.read().size(), 64u);
  const std::vector<Hazard> hazards = found();
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_EQ(hazards[0].kind, HazardKind::unwritten_read);
  EXPECT_THAT(hazards[0].message.what, HasSubstr("256 bytes"));
  set<<<1, 1>>>(x, 1);
  x.read();
  expect_none("a part of it was written");
}

__global__ void pick(int* out, int which, int filled) {
  int values[16];
#pragma unroll 1
  for (int i = 0; i < filled; ++i) values[i] = i;
  out[threadIdx.x] = values[which];  // mark: local unwritten
}

TEST_F(Hazards, AnArrayOfAThreadBeginsWithNothing) {
  const Buffer<int> out(32);
  pick<<<1, 32>>>(out, 7, 16);
  expect_none("all filled");
  pick<<<1, 32>>>(out, 7, 7);
  expect_one(HazardKind::unwritten_read, "local unwritten", "", "where it is declared");
}

struct alignas(8) Gapped {
  char letter;
  int number;
};
__global__ void fill_members(Gapped* all) {
  all[threadIdx.x].letter = 'a';
  all[threadIdx.x].number = 1;
}
__global__ void copy_whole(Gapped* to, const Gapped* from) { to[threadIdx.x] = from[threadIdx.x]; }

TEST_F(Hazards, GapsInAStructureAreCopiedWithIt) {
  const Buffer<Gapped> from(32), to(32);
  fill_members<<<1, 32>>>(from);
  copy_whole<<<1, 32>>>(to, from);
  expect_none("the gaps are nobody's");
}

// --- cp.async -----------------------------------------------------------------------------------------

template <
    int HOW>  // 0: right, 1: no wait, 2: no barrier, 3: the target is written, 4: the source is
__global__ void copy_late(int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[t], 4);  // mark: asks
  __pipeline_commit();
  if (HOW == 3) s[t] = 1;   // mark: target
  if (HOW == 4) in[t] = 1;  // mark: source
  if (HOW != 1) __pipeline_wait_prior(0);
  if (HOW != 2) __syncthreads();
  out[t] = s[(t + 32) % 64];  // mark: uses
}

TEST_F(Hazards, ACopyIsWaitedFor) {
  const Buffer<int> in(64, 0), out(64);
  copy_late<0><<<1, 64>>>(in, out);
  expect_none("waited for, and a barrier");
  copy_late<1><<<1, 64>>>(in, out);
  expect_one(HazardKind::early_use, "asks", "uses", "wait for it");
  copy_late<2><<<1, 64>>>(in, out);
  expect_one(HazardKind::race, "asks", "uses", "__syncthreads()");
}

TEST_F(Hazards, WhatACopyNeedsIsLeftAloneMeanwhile) {
  const Buffer<int> in(64, 0), out(64);
  copy_late<3><<<1, 64>>>(in, out);
  expect_one(HazardKind::early_use, "asks", "target");
  copy_late<4><<<1, 64>>>(in, out);
  expect_one(HazardKind::early_use, "asks", "source");
}

// --- as a whole ---------------------------------------------------------------------------------------

TEST_F(Hazards, NoneAreLookedForWhereNoneAreWanted) {
  const Buffer<int> out(64);
  simulator::look_for_hazards(false);
  rotate<false, false><<<1, 64>>>(out);
  EXPECT_TRUE(found().empty());
}

TEST_F(Hazards, ChangeNoResult) {
  const Buffer<int> out(64);
  rotate<false, true><<<1, 64>>>(out);
  const std::vector<int> with = out.read();
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_FALSE(found().empty());
  simulator::look_for_hazards(false);
  rotate<false, true><<<1, 64>>>(out);
  EXPECT_EQ(out.read(), with);
}

TEST_F(Hazards, WithoutMemoryToLookForThemTheRunGoesOn) {
  const Buffer<int> x(256, 0x01);
  simulator::DeviceShadow& shadow = simulator::current_device().shadow;
  std::vector<simulator::LazyBytes> held;
  uint64_t taken = 0;
  testing::internal::CaptureStderr();
  for (uint64_t bytes = uint64_t{1} << 40; bytes >= 1024; bytes /= 2) {
    simulator::LazyBytes memory = shadow.take(bytes);
    if (!memory) continue;
    held.push_back(std::move(memory));
    taken += bytes;
  }
  shift_in_place<<<4, 64>>>(x, 256, 64);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("no more memory to remember who touched global memory"));
  EXPECT_EQ(said.find("no more memory"), said.rfind("no more memory")) << "said once:\n" << said;
  expect_none("nothing is remembered");
  EXPECT_THAT(x.read(), testing::Each(0x01010101));
  shadow.give_back(taken);
  const Buffer<int> y(256, 0);
  shift_in_place<<<4, 64>>>(y, 256, 64);
  expect_one(HazardKind::race, "shift", "shift");
}

TEST_F(Hazards, CodeWithoutLinesIsNamedByItsInstructions) {
  const auto module = simulator::Module::load(
      simulator::current_device(),
      ".version 8.0\n.target sm_90a\n.address_size 64\n"
      ".visible .entry k()\n{\n.reg .b32 %r<4>;\n.shared .align 4 .b8 tile[4];\n"
      "mov.u32 %r1, %tid.x;\nst.shared.u32 [tile], %r1;\nret;\n}\n");
  simulator::LaunchShape shape;
  shape.block.x = 64;
  EXPECT_FALSE(module->find_kernel("k")->run(shape, nullptr).has_value());
  const std::vector<Hazard> hazards = found();
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_EQ(hazards[0].kernel, "k");
  EXPECT_THAT(hazards[0].message.where, HasSubstr("st.shared.u32 [tile], %r1"));
}

}  // namespace
