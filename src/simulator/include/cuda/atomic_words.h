// Atomic operations on words of 4 and 8 bytes: each is one instruction of PTX, with its order and its scope. A sequentially
// consistent operation has a fence before it (PTX manual, "Memory Consistency Model"). On the host they are the compiler's.
#pragma once
#pragma GCC system_header

#include "scopes.h"

namespace cuda {

/// Orders memory accesses of this thread before and after it, for the threads of the scope.
__simulator_class_member_of_both void atomic_thread_fence(memory_order order,
                                                          thread_scope scope = thread_scope_system) {
  if (order == memory_order_relaxed) return;
#if defined(__CUDA_ARCH__)
  const bool is_total = order == memory_order_seq_cst;
  if (scope == thread_scope_system) {
    if (is_total) asm volatile("fence.sc.sys;" ::: "memory");
    else asm volatile("fence.acq_rel.sys;" ::: "memory");
  } else if (scope == thread_scope_device) {
    if (is_total) asm volatile("fence.sc.gpu;" ::: "memory");
    else asm volatile("fence.acq_rel.gpu;" ::: "memory");
  } else {
    if (is_total) asm volatile("fence.sc.cta;" ::: "memory");
    else asm volatile("fence.acq_rel.cta;" ::: "memory");
  }
#else
  (void)scope;
  __atomic_thread_fence(static_cast<int>(order));
#endif
}

/// The word of `Size` bytes that holds a value.
template <size_t Size>
struct __word_of;
template <>
struct __word_of<4> {
  using type = unsigned int;
};
template <>
struct __word_of<8> {
  using type = unsigned long long;
};

/// The operations for the threads of a scope. A word is unsigned int or unsigned long long; sums may also be of float and double,
/// minima and maxima of int and long long.
template <thread_scope Scope>
struct __atomic_words {
#if defined(__CUDA_ARCH__)
// Executes one instruction with the words for the scope and the order. A consuming order acquires, as in PTX.
#define __simulator_in_scope(order, before, behind, ...)                                     \
  if constexpr (Scope == thread_scope_system) {                                              \
    asm volatile(before "." order ".sys." behind __VA_ARGS__ : "memory");                    \
  } else if constexpr (Scope == thread_scope_device) {                                       \
    asm volatile(before "." order ".gpu." behind __VA_ARGS__ : "memory");                    \
  } else {                                                                                   \
    asm volatile(before "." order ".cta." behind __VA_ARGS__ : "memory");                    \
  }
#define __simulator_exchange(behind, ...)                                                    \
  if (order == memory_order_seq_cst) atomic_thread_fence(order, Scope);                      \
  if (order == memory_order_relaxed) {                                                       \
    __simulator_in_scope("relaxed", "atom", behind, __VA_ARGS__)                             \
  } else if (order == memory_order_release) {                                                \
    __simulator_in_scope("release", "atom", behind, __VA_ARGS__)                             \
  } else if (order == memory_order_acq_rel) {                                                \
    __simulator_in_scope("acq_rel", "atom", behind, __VA_ARGS__)                             \
  } else {                                                                                   \
    __simulator_in_scope("acquire", "atom", behind, __VA_ARGS__)                             \
  }
#define __simulator_operation(name, type, instruction, letter)                               \
  static __simulator_class_member type name(type* at, type value, memory_order order) {      \
    type old;                                                                                \
    __simulator_exchange(instruction, " %0, [%1], %2;" : "=" letter(old) : "l"(at), letter(value)) \
    return old;                                                                              \
  }
#define __simulator_accesses(type, bits, letter)                                             \
  static __simulator_class_member type load(const type* at, memory_order order) {            \
    type value;                                                                              \
    if (order == memory_order_seq_cst) atomic_thread_fence(order, Scope);                    \
    if (order == memory_order_relaxed) {                                                     \
      __simulator_in_scope("relaxed", "ld", bits, " %0, [%1];" : "=" letter(value) : "l"(at)) \
    } else {                                                                                 \
      __simulator_in_scope("acquire", "ld", bits, " %0, [%1];" : "=" letter(value) : "l"(at)) \
    }                                                                                        \
    return value;                                                                            \
  }                                                                                          \
  static __simulator_class_member void store(type* at, type value, memory_order order) {     \
    if (order == memory_order_seq_cst) atomic_thread_fence(order, Scope);                    \
    if (order == memory_order_relaxed || order == memory_order_seq_cst) {                    \
      __simulator_in_scope("relaxed", "st", bits, " [%0], %1;" ::"l"(at), letter(value))     \
    } else {                                                                                 \
      __simulator_in_scope("release", "st", bits, " [%0], %1;" ::"l"(at), letter(value))     \
    }                                                                                        \
  }                                                                                          \
  static __simulator_class_member type swap_if(type* at, type expected, type value,          \
                                               memory_order order) {                         \
    type old;                                                                                \
    __simulator_exchange("cas." bits, " %0, [%1], %2, %3;" : "=" letter(old)                 \
                         : "l"(at), letter(expected), letter(value))                         \
    return old;                                                                              \
  }                                                                                          \
  __simulator_operation(exchange, type, "exch." bits, letter)                                \
  __simulator_operation(fetch_and, type, "and." bits, letter)                                \
  __simulator_operation(fetch_or, type, "or." bits, letter)                                  \
  __simulator_operation(fetch_xor, type, "xor." bits, letter)
#define __simulator_extremes(type, name, letter)                                             \
  __simulator_operation(fetch_min, type, "min." name, letter)                                \
  __simulator_operation(fetch_max, type, "max." name, letter)

  __simulator_accesses(unsigned int, "b32", "r")
  __simulator_accesses(unsigned long long, "b64", "l")
  __simulator_operation(fetch_add, unsigned int, "add.u32", "r")
  __simulator_operation(fetch_add, unsigned long long, "add.u64", "l")
  __simulator_operation(fetch_add, float, "add.f32", "f")
  __simulator_operation(fetch_add, double, "add.f64", "d")
  __simulator_extremes(int, "s32", "r")
  __simulator_extremes(unsigned int, "u32", "r")
  __simulator_extremes(long long, "s64", "l")
  __simulator_extremes(unsigned long long, "u64", "l")

#undef __simulator_in_scope
#undef __simulator_exchange
#undef __simulator_operation
#undef __simulator_accesses
#undef __simulator_extremes
#else
#define __simulator_operation(name, builtin)                                                 \
  template <typename T>                                                                      \
  static __simulator_class_member_of_both T name(T* at, T value, memory_order order) {       \
    return builtin(at, value, static_cast<int>(order));                                      \
  }
  template <typename T>
  static __simulator_class_member_of_both T load(const T* at, memory_order order) {
    return __atomic_load_n(at, static_cast<int>(order));
  }
  template <typename T>
  static __simulator_class_member_of_both void store(T* at, T value, memory_order order) {
    __atomic_store_n(at, value, static_cast<int>(order));
  }
  template <typename T>
  static __simulator_class_member_of_both T swap_if(T* at, T expected, T value, memory_order) {
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
  }
  __simulator_operation(exchange, __atomic_exchange_n)
  __simulator_operation(fetch_and, __atomic_fetch_and)
  __simulator_operation(fetch_or, __atomic_fetch_or)
  __simulator_operation(fetch_xor, __atomic_fetch_xor)
  __simulator_operation(fetch_add, __atomic_fetch_add)
  __simulator_operation(fetch_min, __atomic_fetch_min)
  __simulator_operation(fetch_max, __atomic_fetch_max)
#undef __simulator_operation
#endif
};

}  // namespace cuda
