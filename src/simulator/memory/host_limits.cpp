#include "simulator/memory/host_limits.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <optional>

namespace simulator {
namespace {

// Returns nothing if there is no limit.
std::optional<uint64_t> soft_limit(__rlimit_resource resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

// Needs no memory, because it is asked when there is none.
uint64_t address_space_in_use() {
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[64];
  const ssize_t bytes = read(file, text, sizeof text);
  close(file);
  uint64_t pages = 0;
  if (bytes > 0) std::from_chars(text, text + bytes, pages);
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

size_t stack_bytes_of_a_thread() {
  pthread_attr_t attributes;
  size_t bytes = size_t{8} << 20;  // the usual default
  if (pthread_attr_init(&attributes) != 0) return bytes;
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_destroy(&attributes);
  return bytes;
}

bool has_address_space(size_t bytes) {
  if (bytes == 0) return true;
  void* const place =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return false;
  munmap(place, bytes);
  return true;
}

}  // namespace

HostMemory host_memory() {
  const uint64_t in_use = address_space_in_use();
  if (const auto limit = soft_limit(RLIMIT_AS))
    return {in_use, HostMemory::Limit::of_addresses, *limit};
  if (const auto limit = soft_limit(RLIMIT_DATA))
    return {in_use, HostMemory::Limit::of_data, *limit};
  return {in_use};
}

std::string describe_lack_of_thread() {
  const size_t stack = stack_bytes_of_a_thread();
  if (!has_address_space(stack))
    return "memory for a thread's stack, " + std::to_string(stack >> 20) +
           " MiB: " + host_memory().text();
  if (const auto limit = soft_limit(RLIMIT_NPROC))
    return "threads: this user may have " + std::to_string(*limit) +
           " of them in all processes (ulimit -u)";
  return "threads: the machine or its control group allows no more";
}

}  // namespace simulator
