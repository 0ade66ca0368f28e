// What the programs share that compare Hopper's instructions with an H200's answers: finding the driver's function, waits that
// end, hashes, and lines that other processes print.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/mbarrier.cuh"
#include "tensor_inputs.hpp"

namespace tensor_test {

using Encode = decltype(&cuTensorMapEncodeTiled);

inline Encode encoder() {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
                                         &result),
        "cudaGetDriverEntryPointByVersion");
  if (result != cudaDriverEntryPointSuccess || found == nullptr) {
    std::fprintf(stderr, "the driver has no cuTensorMapEncodeTiled\n");
    std::exit(70);
  }
  return reinterpret_cast<Encode>(found);
}

// Waits at most some milliseconds for the first phase. Returns whether it was complete by then.
__device__ inline bool wait_for_some_time(device::Mbarrier& mbarrier) {
  for (int i = 0; i < 100; ++i) {
    if (device::is_complete(mbarrier, 0)) return true;
  }
  return false;
}

// FNV-1a.
inline uint64_t hash(std::span<const unsigned char> bytes) {
  uint64_t sum = 0xcbf29ce484222325u;
  for (const unsigned char byte : bytes) sum = (sum ^ byte) * 0x100000001b3u;
  return sum;
}

// Returns the lines that a command prints. Nothing if it fails.
inline std::vector<std::string> lines_of(const std::string& command) {
  std::vector<std::string> lines;
  std::FILE* output = popen(command.c_str(), "r");
  std::string line;
  for (int c = 0; output != nullptr && (c = std::fgetc(output)) != EOF;) {
    if (c != '\n') {
      line += static_cast<char>(c);
    } else {
      lines.push_back(std::exchange(line, ""));
    }
  }
  return output != nullptr && pclose(output) == 0 ? lines : std::vector<std::string>{};
}

// Writes the lines to the file. Returns the program's exit code.
inline int write_lines(const std::string& file, const std::vector<std::string>& lines) {
  std::ofstream stream(file);
  for (const std::string& line : lines) stream << line << '\n';
  return stream ? 0 : 70;
}

// Compares the lines with the recorded ones, and prints the first that differ. Returns the program's exit code.
inline int compare_lines(const std::string& file, const std::vector<std::string>& lines,
                         const char* noun) {
  std::ifstream stream(file);
  size_t differ = 0;
  std::string recorded;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::getline(stream, recorded);
    if (recorded != lines[i] && differ++ < 10)
      std::printf("%zu: '%s', recorded '%s'\n", i + 1, lines[i].c_str(), recorded.c_str());
  }
  if (!stream) {
    std::fprintf(stderr, "'%s' has fewer than %zu lines\n", file.c_str(), lines.size());
    return 2;
  }
  std::printf("%zu %s, %zu differ\n", lines.size(), noun, differ);
  return differ == 0 ? 0 : 1;
}

}  // namespace tensor_test
