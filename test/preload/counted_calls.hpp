// Counts the calls of a stand-in's functions.
#pragma once

#include <map>
#include <mutex>
#include <string>

namespace standin {

class CountedCalls {
 public:
  void add(const char* function) {
    const std::lock_guard lock(mutex_);
    ++calls_[function];
  }
  long of(const char* function) {
    const std::lock_guard lock(mutex_);
    return calls_[function];
  }

 private:
  std::mutex mutex_;
  std::map<std::string, long> calls_;
};

}  // namespace standin
