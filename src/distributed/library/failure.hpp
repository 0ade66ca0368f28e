// Why a call fails: a status of the public headers, and a text.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "sgemm_ladder_distributed.h"

namespace distributed {

class Failure : public std::runtime_error {
 public:
  Failure(int status, const std::string& text) : std::runtime_error(text), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

/// Returns the exception that is being handled as a failure. `otherwise` is the status of an exception that has none.
Failure failure_in_flight(int otherwise = SGEMM_LADDER_FAILED);

/// Runs a step. Returns its failure, if it fails.
std::optional<Failure> failure_of(const std::function<void()>& step);

}  // namespace distributed
