#include "distributed/library/watched_transport.hpp"

namespace distributed {

void WatchedTransport::tell(const std::optional<Failure>& mine, Agreement::Limit limit) {
  if (!told_) told_ = agreement_.first_failure(mine, limit);
}

void WatchedTransport::deliver(std::span<const Message> messages, cudaStream_t stream) {
  tell(std::nullopt, Agreement::Limit::patience);
  if (told_) throw told_->failure;
  try {
    carrier_.deliver(messages, stream);
  } catch (...) {
    throw failure_in_flight(SGEMM_LADDER_COMMUNICATION_ERROR);
  }
}

void WatchedTransport::wait(const Event& event) {
  try {
    carrier_.wait(event);
  } catch (...) {
    throw failure_in_flight(SGEMM_LADDER_COMMUNICATION_ERROR);
  }
}

void WatchedTransport::abort() {
  tell(failure_in_flight(),
       Agreement::Limit::patience);  // first: the others may need this process's messages
  carrier_.abort();
}

std::optional<FailureOfRank> WatchedTransport::end(const std::optional<Failure>& mine) {
  // A process that has its C waits for as long as it takes, since the others may have theirs.
  tell(mine, mine ? Agreement::Limit::patience : Agreement::Limit::none);
  if (told_) carrier_.abort();
  return told_;
}

}  // namespace distributed
