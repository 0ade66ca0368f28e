// Device memory: bounds, red zones, freed addresses, names, and allocations that fail.
#include "simulator/memory/memory.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

namespace simulator {
namespace {

DeviceMemory& memory() {
  static DeviceMemory instance;
  return instance;
}

TEST(DeviceMemory, AllocationsAre256ByteAlignedWithARedZoneBetweenThem) {
  uint64_t last_end = 0;
  for (const uint64_t bytes : {1u, 3u, 256u, 257u, 5u << 20}) {
    const uint64_t base = memory().allocate(bytes);
    ASSERT_NE(base, 0u);
    EXPECT_EQ(base % 256, 0u);
    EXPECT_GE(base, last_end + 4096) << "no red zone before this allocation";
    last_end = base + bytes;
    EXPECT_TRUE(memory().release(base));
  }
}

TEST(DeviceMemory, KnowsTheFirstAndTheLastByteAndNothingBeside) {
  const uint64_t base = memory().allocate(100);
  for (const uint64_t inside : {base, base + 1, base + 99}) {
    ASSERT_NE(memory().find(inside), nullptr);
    EXPECT_EQ(memory().find(inside)->base, base);
    EXPECT_EQ(memory().find(inside)->bytes, 100u);
  }
  for (const uint64_t outside : {base - 1, base + 100, base + 255, uint64_t{0}}) {
    EXPECT_EQ(memory().find(outside), nullptr);
    EXPECT_FALSE(memory().was_freed(outside));
  }
  EXPECT_NE(memory().host_pointer(base, 100), nullptr);
  EXPECT_NE(memory().host_pointer(base + 99, 1), nullptr);
  EXPECT_EQ(memory().host_pointer(base, 101), nullptr);
  EXPECT_EQ(memory().host_pointer(base + 99, 2), nullptr);
  EXPECT_EQ(memory().host_pointer(base + 1, ~uint64_t{0}), nullptr) << "the sum overflows";
  memory().release(base);
}

TEST(DeviceMemory, AFreedAddressIsNeverHandedOutAgain) {
  const uint64_t freed = memory().allocate(64);
  EXPECT_TRUE(memory().release(freed));
  EXPECT_FALSE(memory().release(freed)) << "freed twice";
  EXPECT_EQ(memory().find(freed), nullptr);
  EXPECT_TRUE(memory().was_freed(freed + 63));
  for (int i = 0; i < 100; ++i) {
    const uint64_t next = memory().allocate(64);
    EXPECT_NE(next, freed);
    memory().release(next);
  }
  EXPECT_TRUE(memory().was_freed(freed));
}

TEST(DeviceMemory, OnlyTheFirstByteOfAnAllocationFreesIt) {
  const uint64_t base = memory().allocate(512);
  EXPECT_FALSE(memory().release(base + 256));
  EXPECT_FALSE(memory().release(0));
  EXPECT_TRUE(memory().release(base));
}

TEST(DeviceMemory, NewMemoryHoldsAPatternAndNotZeroes) {
  const uint64_t base = memory().allocate(1000);
  const std::byte* const bytes = memory().host_pointer(base, 1000);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(bytes[i], std::byte{0xCD});
  memory().release(base);
}

TEST(DeviceMemory, RefusesWhatItDoesNotHave) {
  EXPECT_GT(memory().total_bytes(), 0u);
  EXPECT_EQ(memory().allocate(memory().total_bytes() + 1), 0u);
  EXPECT_EQ(memory().allocate(~uint64_t{0}), 0u);
  EXPECT_EQ(memory().allocate(0), 0u);
}

TEST(DeviceMemory, CountsWhatIsFree) {
  const uint64_t before = memory().free_bytes();
  const uint64_t base = memory().allocate(12345);
  EXPECT_EQ(memory().free_bytes(), before - 12345);
  memory().release(base);
  EXPECT_EQ(memory().free_bytes(), before);
}

TEST(DeviceMemory, ALargeAllocationCostsNothingUntilItIsTouched) {
  const uint64_t bytes = memory().total_bytes() / 2;
  const uint64_t base = memory().allocate(bytes);
  ASSERT_NE(base, 0u);
  std::byte* const last = memory().host_pointer(base + bytes - 1, 1);
  ASSERT_NE(last, nullptr);
  *last = std::byte{7};
  EXPECT_EQ(*last, std::byte{7});
  EXPECT_TRUE(memory().release(base));
}

TEST(DeviceMemory, NamesStandForAllocations) {
  const uint64_t base = memory().allocate(1024);
  const uint32_t id = memory().find(base)->id;
  EXPECT_EQ(memory().name_of(id), "buffer " + std::to_string(id));
  EXPECT_TRUE(memory().set_name(base + 8, "A"));
  EXPECT_EQ(memory().name_of(id), "A");
  EXPECT_FALSE(memory().set_name(base + 1024, "B"));
  memory().release(base);
  EXPECT_FALSE(memory().set_name(base, "B"));
  EXPECT_EQ(memory().name_of(id), "A") << "a report made later still knows the name";
}

TEST(DeviceMemory, DescribesAnAddressByTheNearestAllocation) {
  const uint64_t base = memory().allocate(1024);
  memory().set_name(base, "weights");
  EXPECT_EQ(memory()
                .place_of(base + 1024)
                .text()
                .find("the first byte past the end of weights (1024 bytes"),
            0u);
  EXPECT_EQ(memory().place_of(base + 1028).text().find("4 bytes past the end of weights"), 0u);
  EXPECT_EQ(memory().place_of(base - 1).text().find("1 byte before weights"), 0u);
  EXPECT_EQ(memory().place_of(base + 12).text().find("12 bytes into weights"), 0u);
  memory().release(base);
  EXPECT_NE(memory().place_of(base + 12).text().find("freed"), std::string::npos);
  int on_the_stack = 0;
  EXPECT_NE(memory().place_of(reinterpret_cast<uint64_t>(&on_the_stack)).text().find("host"),
            std::string::npos);
  EXPECT_NE(memory().place_of(8).text().find("null"), std::string::npos);
}

TEST(DeviceMemory, HostVisibleMemoryLiesAtItsOwnAddress) {
  const uint64_t base = memory().allocate(10000, HostAccess::host_visible);
  ASSERT_NE(base, 0u);
  EXPECT_EQ(reinterpret_cast<uint64_t>(memory().host_pointer(base, 10000)), base);
  std::memset(reinterpret_cast<void*>(base), 1, 10000);
  EXPECT_TRUE(memory().owns(base));
  EXPECT_TRUE(memory().find(base)->host_visible);
  EXPECT_TRUE(memory().release(base));
  EXPECT_TRUE(memory().was_freed(base));
  EXPECT_NE(memory().allocate(10000, HostAccess::host_visible), base);
}

TEST(DeviceMemory, MemoryOfTheHostsOwnIsKnownWhileItIsAdopted) {
  DeviceMemory memory;
  std::vector<int> mine(100);
  const auto base = reinterpret_cast<uint64_t>(mine.data());
  EXPECT_FALSE(memory.owns(base));
  ASSERT_TRUE(memory.adopt(mine.data(), 400));
  EXPECT_FALSE(memory.adopt(mine.data() + 99, 4)) << "a part of it is adopted already";
  ASSERT_NE(memory.find(base + 399), nullptr);
  EXPECT_EQ(memory.find(base + 400), nullptr);
  EXPECT_EQ(memory.host_pointer(base + 4, 396), reinterpret_cast<std::byte*>(mine.data() + 1));
  EXPECT_EQ(memory.host_pointer(base + 4, 397), nullptr);
  EXPECT_FALSE(memory.release(base)) << "it is not the device's to free";
  EXPECT_TRUE(memory.forget(mine.data()));
  EXPECT_FALSE(memory.forget(mine.data()));
  EXPECT_FALSE(memory.owns(base)) << "it is the host's again, not freed";
  ASSERT_TRUE(memory.adopt(mine.data(), 8));
  EXPECT_EQ(memory.find(base + 8), nullptr);
  EXPECT_TRUE(memory.forget(mine.data()));
}

TEST(DeviceMemory, TheHeapHasASizeAndOneName) {
  DeviceMemory memory;
  const uint64_t before = memory.heap_limit();
  memory.release_heap();
  memory.set_heap_limit(64);
  const uint64_t first = memory.allocate_from_heap(17);  // takes 32 bytes
  const uint64_t second = memory.allocate_from_heap(32);
  ASSERT_NE(first, 0u);
  ASSERT_NE(second, 0u);
  EXPECT_EQ(memory.allocate_from_heap(1), 0u);
  EXPECT_EQ(memory.find(first)->id, memory.find(second)->id);
  EXPECT_EQ(memory.name_of(memory.find(first)->id), "heap");
  EXPECT_EQ(memory.find(first + 17), nullptr);
  EXPECT_TRUE(memory.release_from_heap(first));
  EXPECT_FALSE(memory.release_from_heap(first));
  EXPECT_NE(memory.allocate_from_heap(32), 0u);
  EXPECT_EQ(memory.allocate_from_heap(0), 0u);
  memory.set_heap_limit(before);
}

TEST(DeviceMemoryDeathTest, TheHostCannotReadADeviceAddress) {
  const uint64_t base = memory().allocate(64);
  EXPECT_DEATH(std::printf("%d", *reinterpret_cast<volatile int*>(base)), "");
  memory().release(base);
}

TEST(DeviceMemory, ManyThreadsMayAllocateFindAndFree) {
  std::atomic<int> wrong{0};
  constexpr int COUNT = 4;
  std::vector<std::thread> threads;
  threads.reserve(COUNT);
  for (int t = 0; t < COUNT; ++t) {
    threads.emplace_back([&wrong, t] {
      for (uint64_t bytes = 64; bytes < 564; ++bytes) {
        const HostAccess access =
            bytes % 2 == 0 ? HostAccess::device_only : HostAccess::host_visible;
        const uint64_t base = memory().allocate(bytes, access);
        std::byte* const host = memory().host_pointer(base, bytes);
        if (host == nullptr) {
          ++wrong;
          continue;
        }
        std::memset(host, t, bytes);
        for (uint64_t k = 0; k < bytes; ++k) wrong += host[k] != static_cast<std::byte>(t);
        wrong += !memory().release(base);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace simulator
