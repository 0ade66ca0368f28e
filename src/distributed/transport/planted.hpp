// The planted faults of messages (fault/fault.hpp).
#pragma once

#include <unistd.h>

#include <csignal>
#include <stdexcept>

#include "distributed/fault/fault.hpp"

namespace distributed {

/// Fails, falls silent or ends the process if a fault is planted here. A transport calls it before it sends.
inline void fail_if_planted() {
  if (is_faulty(Faulty::send)) throw std::runtime_error("a message cannot be sent (planted)");
  if (is_faulty(Faulty::kill)) static_cast<void>(raise(SIGKILL));
  if (is_faulty(Faulty::silence))
    while (true) pause();
}

}  // namespace distributed
