// A transport whose processes tell each other of a failure, so that none waits for messages that will not come.
#pragma once

#include <optional>
#include <span>

#include "distributed/library/agreement.hpp"
#include "distributed/transport/transport.hpp"

namespace distributed {

/// For one product. Before each delivery, and at the end, the processes ask each other whether one has failed. If so, all stop there.
class WatchedTransport : public Transport {
 public:
  WatchedTransport(Transport& carrier, Agreement& agreement)
      : carrier_(carrier), agreement_(agreement) {}

  void deliver(std::span<const Message> messages, cudaStream_t stream) override;
  void wait(const Event& event) override;
  /// An exception is being handled.
  void abort() override;

  /// Ends the product, which this process has computed unless it has a failure. Returns the failure of the lowest rank that has one.
  std::optional<FailureOfRank> end(const std::optional<Failure>& mine);

 private:
  void tell(const std::optional<Failure>& mine, Agreement::Limit limit);

  Transport& carrier_;
  Agreement& agreement_;
  std::optional<FailureOfRank> told_;  // all processes know it
};

}  // namespace distributed
