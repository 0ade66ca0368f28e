// Atomic read-modify-write operations of device code, in global and in shared memory. Each returns the
// value that was there before.
#pragma once
#pragma GCC system_header

#if defined(__CUDA__)

#include "host_defines.h"

#define __simulator_atomic(name, operation, type)                            \
  __simulator_device type name(type* address, type value) {                  \
    return operation(address, value, __ATOMIC_RELAXED);                      \
  }                                                                          \
  __simulator_device type name##_block(type* address, type value) {          \
    return name(address, value);                                             \
  }                                                                          \
  __simulator_device type name##_system(type* address, type value) {         \
    return name(address, value);                                             \
  }
#define __simulator_atomic_integers(name, operation)           \
  __simulator_atomic(name, operation, int)                     \
  __simulator_atomic(name, operation, unsigned int)            \
  __simulator_atomic(name, operation, unsigned long long)

__simulator_atomic_integers(atomicAdd, __atomic_fetch_add)
__simulator_atomic_integers(atomicMin, __atomic_fetch_min)
__simulator_atomic_integers(atomicMax, __atomic_fetch_max)
__simulator_atomic_integers(atomicAnd, __atomic_fetch_and)
__simulator_atomic_integers(atomicOr, __atomic_fetch_or)
__simulator_atomic_integers(atomicXor, __atomic_fetch_xor)
__simulator_atomic_integers(atomicExch, __atomic_exchange_n)
__simulator_atomic(atomicMin, __atomic_fetch_min, long long)
__simulator_atomic(atomicMax, __atomic_fetch_max, long long)

#undef __simulator_atomic_integers
#undef __simulator_atomic

__simulator_device float atomicAdd(float* address, float value) {
  return __nvvm_atom_add_gen_f(address, value);
}
__simulator_device double atomicAdd(double* address, double value) {
  return __nvvm_atom_add_gen_d(address, value);
}
__simulator_device int atomicSub(int* address, int value) {
  return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);
}
__simulator_device unsigned int atomicSub(unsigned int* address, unsigned int value) {
  return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);
}
__simulator_device float atomicExch(float* address, float value) {
  return __builtin_bit_cast(float, atomicExch(reinterpret_cast<int*>(address),
                                              __builtin_bit_cast(int, value)));
}
/// Counts up to `limit`, then starts again at 0.
__simulator_device unsigned int atomicInc(unsigned int* address, unsigned int limit) {
  return __nvvm_atom_inc_gen_ui(address, limit);
}
/// Counts down, from 0 to `limit` again.
__simulator_device unsigned int atomicDec(unsigned int* address, unsigned int limit) {
  return __nvvm_atom_dec_gen_ui(address, limit);
}
__simulator_device int atomicCAS(int* address, int expected, int value) {
  return __nvvm_atom_cas_gen_i(address, expected, value);
}
__simulator_device unsigned int atomicCAS(unsigned int* address, unsigned int expected,
                                          unsigned int value) {
  return static_cast<unsigned int>(__nvvm_atom_cas_gen_i(reinterpret_cast<int*>(address),
                                                         static_cast<int>(expected),
                                                         static_cast<int>(value)));
}
__simulator_device unsigned long long atomicCAS(unsigned long long* address,
                                                unsigned long long expected,
                                                unsigned long long value) {
  return static_cast<unsigned long long>(
      __nvvm_atom_cas_gen_ll(reinterpret_cast<long long*>(address),
                             static_cast<long long>(expected), static_cast<long long>(value)));
}

#endif
