// Atomic read-modify-write operations of device code, in global and in shared memory. Each returns the old value.
#pragma once
#pragma GCC system_header

#if defined(__CUDA__)

#include "host_defines.h"
#include "vector_types.h"

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

// The other operations, for the device, the block and the system: they are one here.
#define __simulator_atomic_scopes(type, name, parameters, arguments, ...)          \
  __simulator_device type name parameters { __VA_ARGS__ }                          \
  __simulator_device type name##_block parameters { return name arguments; }       \
  __simulator_device type name##_system parameters { return name arguments; }
#define __simulator_atomic2(type, name, operand, ...) \
  __simulator_atomic_scopes(type, name, (type* address, operand value), (address, value), __VA_ARGS__)
#define __simulator_atomic_cas(type, ...)                                                         \
  __simulator_atomic_scopes(type, atomicCAS, (type* address, type expected, type value),          \
                            (address, expected, value), __VA_ARGS__)

__simulator_atomic2(float, atomicAdd, float, return __nvvm_atom_add_gen_f(address, value);)
__simulator_atomic2(double, atomicAdd, double, return __nvvm_atom_add_gen_d(address, value);)
// The parts of a vector are added one by one, as on a device: another thread may see one without the others.
__simulator_atomic2(float2, atomicAdd, float2,
                    return float2{atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};)
__simulator_atomic2(float4, atomicAdd, float4,
                    return float4{atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y),
                                  atomicAdd(&address->z, value.z), atomicAdd(&address->w, value.w)};)
__simulator_atomic2(int, atomicSub, int,
                    return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);)
__simulator_atomic2(unsigned int, atomicSub, unsigned int,
                    return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);)
__simulator_atomic2(float, atomicExch, float,
                    return __builtin_bit_cast(float, atomicExch(reinterpret_cast<int*>(address),
                                                                __builtin_bit_cast(int, value)));)
/// Counts up to `value`, then restarts at 0.
__simulator_atomic2(unsigned int, atomicInc, unsigned int,
                    return __nvvm_atom_inc_gen_ui(address, value);)
/// Counts down to 0, then restarts at `value`.
__simulator_atomic2(unsigned int, atomicDec, unsigned int,
                    return __nvvm_atom_dec_gen_ui(address, value);)
__simulator_atomic_cas(int, return __nvvm_atom_cas_gen_i(address, expected, value);)
__simulator_atomic_cas(unsigned int,
                       return static_cast<unsigned int>(__nvvm_atom_cas_gen_i(
                           reinterpret_cast<int*>(address), static_cast<int>(expected),
                           static_cast<int>(value)));)
__simulator_atomic_cas(unsigned long long,
                       return static_cast<unsigned long long>(__nvvm_atom_cas_gen_ll(
                           reinterpret_cast<long long*>(address), static_cast<long long>(expected),
                           static_cast<long long>(value)));)
__simulator_atomic_cas(unsigned short, unsigned short old;
                       asm volatile("atom.cas.b16 %0, [%1], %2, %3;"
                                    : "=h"(old)
                                    : "l"(address), "h"(expected), "h"(value)
                                    : "memory");
                       return old;)

#undef __simulator_atomic_cas
#undef __simulator_atomic2
#undef __simulator_atomic_scopes

#endif
