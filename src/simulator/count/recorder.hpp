// The requests that somebody wants to see: which warp asked for which bytes, and what that cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "lens/request.hpp"

namespace simulator {

/// What one host thread's warps do in a launch, or several of these put together.
class Recorder {
 public:
  explicit Recorder(const lens::Wanted& wanted) : wanted_(wanted) {}

  /// The number of the group that the request belongs to by its kernel, line, instruction, path and buffer.
  size_t group(const lens::Request& named);
  /// One more request of a group. Its names are left out: the group has them. Those of a warp come in the order in
  /// which it makes them, numbered by nth.
  void add(size_t group, const lens::Request& unnamed);
  /// What other host threads or other launches did.
  void merge(const Recorder& other);

  std::vector<lens::Request> requests() const;
  const lens::Wanted& wanted() const { return wanted_; }

 private:
  using Steps = std::vector<lens::Request>;  // of one warp, one after the other
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

/// Where the recorders of a device's launches come together.
class RequestStore {
 public:
  void start(const lens::Wanted& wanted);
  lens::Wanted wanted() const;
  /// The number of a launch that begins: 1, 2, 3, ...
  uint64_t number_launch();
  void add(const Recorder& launch);
  std::vector<lens::Request> requests() const;

 private:
  mutable std::mutex mutex_;
  uint64_t launches_ = 0;
  Recorder recorder_{lens::Wanted{}};
};

}  // namespace simulator
