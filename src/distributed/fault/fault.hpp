// Faults that a test plants: SGEMM_FAULT=RANK:CALL makes one process fail in one call, as a broken machine would.
#pragma once

#include <array>
#include <string>

namespace distributed {

/// Where a process may fail.
enum class Faulty {
  memory,   // an allocation finds too little device memory
  product,  // CUDA cannot launch a product
  send,     // a message cannot be sent
  silence,  // the process stops in the middle of its messages, and answers no more
  kill,     // the process ends by SIGKILL
  wire,     // an element changes on its way to this process
  panel,    // an element of a panel changes in this process's memory
  count
};
inline constexpr std::array<const char*, static_cast<size_t>(Faulty::count)> FAULTY_CALLS{
    "memory", "product", "send", "silence", "kill", "wire", "panel"};

/// Plants the fault of "RANK:CALL" or "RANK:CALL:N", the N-th such call of the process (default: the first), if it is this process's; an
/// empty text plants none. Returns why the text is refused, or an empty text.
std::string plant_fault(const std::string& text, int rank);

/// Counts a call of this process. Returns true if the planted fault is in it.
bool is_faulty(Faulty call);

}  // namespace distributed
