// Recorded requests: the warp, the bytes that it asked for, and their cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "lens/request.hpp"

namespace simulator {

/// The requests of one host thread's warps in a launch, or several such recordings merged.
class Recorder {
 public:
  explicit Recorder(const lens::Wanted& wanted) : wanted_(wanted) {}

  /// Returns the number of the request's group: same kernel, line, instruction, path and buffer.
  size_t group(const lens::Request& named);
  /// Adds a request to a group. Its names are empty: the group has them. A warp's requests come in program order,
  /// numbered by nth.
  void add(size_t group, const lens::Request& unnamed);
  /// Adds the recording of another host thread or another launch.
  void merge(const Recorder& other);

  std::vector<lens::Request> requests() const;
  const lens::Wanted& wanted() const { return wanted_; }

 private:
  using Steps = std::vector<lens::Request>;  // of one warp, in order
  struct Names {
    std::string kernel, file;
    int line;
    std::string instruction;
    lens::Path path;
    std::string buffer;
    auto operator<=>(const Names&) const = default;
  };
  static Names names_of(const lens::Request& request);

  lens::Wanted wanted_;
  std::map<Names, size_t> groups_;
  std::vector<Steps> kept_;  // by group
};

/// The recordings of all launches of a device together.
class RequestStore {
 public:
  void start(const lens::Wanted& wanted);
  lens::Wanted wanted() const;
  /// Returns the number of a new launch: 1, 2, 3, ...
  uint64_t number_launch();
  void add(const Recorder& launch);
  std::vector<lens::Request> requests() const;

 private:
  mutable std::mutex mutex_;
  uint64_t launches_ = 0;
  Recorder recorder_{lens::Wanted{}};
};

}  // namespace simulator
