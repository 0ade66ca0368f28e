// Failures for a test in C.
#include <mpi.h>

#include <chrono>
#include <stdexcept>

#include "distributed/fault/fault.hpp"
#include "distributed/library/agreement.hpp"
#include "distributed/library/watched_transport.hpp"

namespace {

using distributed::Agreement, distributed::Transport, distributed::WatchedTransport;

// Cannot send. Keeps whether the failure was told when the messages are given up.
class BrokenTransport : public Transport {
 public:
  explicit BrokenTransport(Agreement& agreement) : watched_(*this, agreement) {}

  void deliver(std::span<const distributed::Message>, cudaStream_t) override {
    throw std::runtime_error("broken");
  }
  void wait(const distributed::Event&) override {}
  void abort() override {
    if (!is_asked_) {
      is_asked_ = true;
      was_told_ = watched_.end(std::nullopt).has_value();
    }
  }

  bool tells() {
    try {
      watched_.deliver({}, nullptr);
    } catch (...) {
      watched_.abort();
    }
    return was_told_;
  }

 private:
  WatchedTransport watched_;
  bool is_asked_ = false, was_told_ = false;
};

}  // namespace

extern "C" {
void plant_in_library(const char* fault, int rank);
int tells_before_it_gives_up(void);
}

void plant_in_library(const char* fault, int rank) {
  static_cast<void>(distributed::plant_fault(fault, rank));
}

int tells_before_it_gives_up(void) {
  Agreement agreement(MPI_COMM_SELF, std::chrono::seconds(10));
  return BrokenTransport(agreement).tells() ? 1 : 0;
}
