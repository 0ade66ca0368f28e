// The threads that a class of cuda:: is for, and the orders of its operations.
#pragma once
#pragma GCC system_header

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "std/standard_names.h"

namespace cuda {

enum thread_scope {
  thread_scope_system = 0,
  thread_scope_device = 1,
  thread_scope_block = 2,
  thread_scope_thread = 3,
};

using memory_order = ::std::memory_order;
constexpr memory_order memory_order_relaxed = ::std::memory_order_relaxed;
constexpr memory_order memory_order_consume = ::std::memory_order_consume;
constexpr memory_order memory_order_acquire = ::std::memory_order_acquire;
constexpr memory_order memory_order_release = ::std::memory_order_release;
constexpr memory_order memory_order_acq_rel = ::std::memory_order_acq_rel;
constexpr memory_order memory_order_seq_cst = ::std::memory_order_seq_cst;

}  // namespace cuda
