// The intrinsic functions of device code: barriers, memory, warp shuffles, votes and matches, fences, cached
// loads and stores, bit operations, SIMD within a word, conversions. __syncthreads() is built into clang.
//
// Each is one PTX instruction or a few, and counts for the line that calls it. Each SIMD function within a word
// (__vadd4 and similar) is many instructions: a GPU since Maxwell computes it the same way.
#pragma once
#pragma GCC system_header

#if defined(__CUDA__)

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "vector_types.h"

// Barriers, fences and other control.

__simulator_device int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
__simulator_device int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
__simulator_device int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
__simulator_device void __syncwarp(unsigned int mask = 0xffffffff) { __nvvm_bar_warp_sync(mask); }
__simulator_device void __threadfence_block() { __nvvm_membar_cta(); }
__simulator_device void __threadfence() { __nvvm_membar_gl(); }
__simulator_device void __threadfence_system() { __nvvm_membar_sys(); }
__simulator_device void __trap() { asm volatile("trap;"); }
__simulator_device clock_t clock() { return __nvvm_read_ptx_sreg_clock(); }
__simulator_device long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
__simulator_device void __nanosleep(unsigned int) {}

__simulator_device void cudaTriggerProgrammaticLaunchCompletion() {
  asm volatile("griddepcontrol.launch_dependents;");
}
__simulator_device void cudaGridDependencySynchronize() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

// Clusters. Blocks have their ranks in the order of their places in the cluster, x first. A block without a cluster is
// a cluster of one.

#define __simulator_cluster_register(name, reg)                                          \
  __simulator_device dim3 name() {                                                       \
    return dim3(__nvvm_read_ptx_sreg_##reg##_x(), __nvvm_read_ptx_sreg_##reg##_y(),      \
                __nvvm_read_ptx_sreg_##reg##_z());                                       \
  }
__simulator_cluster_register(__clusterDim, cluster_nctaid)
__simulator_cluster_register(__clusterRelativeBlockIdx, cluster_ctaid)
__simulator_cluster_register(__clusterGridDimInClusters, nclusterid)
__simulator_cluster_register(__clusterIdx, clusterid)
#undef __simulator_cluster_register
__simulator_device unsigned int __clusterRelativeBlockRank() {
  return __nvvm_read_ptx_sreg_cluster_ctarank();
}
__simulator_device unsigned int __clusterSizeInBlocks() {
  return __nvvm_read_ptx_sreg_cluster_nctarank();
}
__simulator_device unsigned int __clusterDimIsSpecified() {
  unsigned int is;
  asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(is));
  return is;
}
__simulator_device void* __cluster_map_shared_rank(const void* pointer, unsigned int rank) {
  void* mapped;
  asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(pointer), "r"(rank));
  return mapped;
}
__simulator_device unsigned int __cluster_query_shared_rank(const void* pointer) {
  unsigned int rank;
  asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(pointer));
  return rank;
}
__simulator_device void __cluster_barrier_arrive() {
  asm volatile("barrier.cluster.arrive;" ::: "memory");
}
__simulator_device void __cluster_barrier_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
__simulator_device void __cluster_barrier_wait() {
  asm volatile("barrier.cluster.wait;" ::: "memory");
}
__simulator_device void __threadfence_cluster() {
  asm volatile("fence.acq_rel.cluster;" ::: "memory");
}
__simulator_device unsigned int __isClusterShared(const void* pointer) {
  unsigned int is;
  asm("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p; }"
      : "=r"(is)
      : "l"(pointer));
  return is;
}

// Memory: the functions of <cstring> and <cstdlib> that nvcc has for device code. A copy of constant size becomes
// plain loads and stores, any other a loop over bytes. The heap is the device's own, cudaLimitMallocHeapSize
// bytes, and it persists from one kernel to the next.

extern "C" {
__device__ void* __simulator_malloc(size_t bytes);
__device__ void __simulator_free(void* pointer);
}
// The barrier of all blocks of a cooperative launch: see cooperative_groups.h. An arrival returns the phase to wait for.
extern "C" {
__device__ unsigned int __simulator_grid_is_valid();
__device__ unsigned int __simulator_grid_arrive();
__device__ void __simulator_grid_wait(unsigned int phase);
}
// Under their own names LLVM would assume that malloc never fails.
__simulator_device void* malloc(size_t bytes) { return __simulator_malloc(bytes); }
__simulator_device void free(void* pointer) { __simulator_free(pointer); }
__simulator_device void* memcpy(void* to, const void* from, size_t bytes) {
  return __builtin_memcpy(to, from, bytes);
}
__simulator_device void* memset(void* pointer, int value, size_t bytes) {
  return __builtin_memset(pointer, value, bytes);
}

// Votes and shuffles. `width` divides the warp into segments of `width` lanes, a power of two.

__simulator_device unsigned int __activemask() {
  unsigned int mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
__simulator_device unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate != 0);
}
__simulator_device int __all_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_all_sync(mask, predicate != 0);
}
__simulator_device int __any_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_any_sync(mask, predicate != 0);
}

// Any type of 4 or 8 bytes is matched by its bits, as with nvcc.
#define __simulator_match(type, bits, builtin, in_ptx, constraint)                             \
  __simulator_device unsigned int __match_any_sync(unsigned int mask, type value) {            \
    return __nvvm_match_any_sync_##builtin(mask, __builtin_bit_cast(bits, value));             \
  }                                                                                            \
  __simulator_device unsigned int __match_all_sync(unsigned int mask, type value, int* same) { \
    unsigned int result;                                                                       \
    asm volatile("{\n\t.reg .pred p;\n\tmatch.all.sync." in_ptx                                \
                 " %0|p, %2, %3;\n\tselp.b32 %1, 1, 0, p;\n\t}"                                \
                 : "=r"(result), "=r"(*same)                                                   \
                 : constraint(__builtin_bit_cast(bits, value)), "r"(mask));                    \
    return result;                                                                             \
  }
__simulator_match(int, unsigned int, i32, "b32", "r")
__simulator_match(unsigned int, unsigned int, i32, "b32", "r")
__simulator_match(float, unsigned int, i32, "b32", "r")
__simulator_match(long, unsigned long long, i64, "b64", "l")
__simulator_match(unsigned long, unsigned long long, i64, "b64", "l")
__simulator_match(long long, unsigned long long, i64, "b64", "l")
__simulator_match(unsigned long long, unsigned long long, i64, "b64", "l")
__simulator_match(double, unsigned long long, i64, "b64", "l")
#undef __simulator_match

#define __simulator_shuffle_as(type, builtin_type, mode, clamp, third)                           \
  __simulator_device type __shfl##mode##_sync(unsigned int mask, type value, third lane,         \
                                              int width = 32) {                                  \
    return static_cast<type>(__nvvm_shfl_sync_##builtin_type(                                    \
        mask, value, static_cast<int>(lane), ((32 - width) << 8) | clamp));                      \
  }
#define __simulator_shuffle_wide(type, mode, third)                                      \
  __simulator_device type __shfl##mode##_sync(unsigned int mask, type value, third lane, \
                                              int width = 32) {                          \
    int halves[2];                                                                       \
    __builtin_memcpy(halves, &value, sizeof(type));                                      \
    halves[0] = __shfl##mode##_sync(mask, halves[0], lane, width);                       \
    halves[1] = __shfl##mode##_sync(mask, halves[1], lane, width);                       \
    __builtin_memcpy(&value, halves, sizeof(type));                                      \
    return value;                                                                        \
  }
#define __simulator_shuffle(mode, builtin_mode, clamp, third)                     \
  __simulator_shuffle_as(int, builtin_mode##_i32, mode, clamp, third)             \
  __simulator_shuffle_as(unsigned int, builtin_mode##_i32, mode, clamp, third)    \
  __simulator_shuffle_as(float, builtin_mode##_f32, mode, clamp, third)           \
  __simulator_shuffle_wide(long, mode, third)                                     \
  __simulator_shuffle_wide(unsigned long, mode, third)                            \
  __simulator_shuffle_wide(long long, mode, third)                                \
  __simulator_shuffle_wide(unsigned long long, mode, third)                       \
  __simulator_shuffle_wide(double, mode, third)

__simulator_shuffle(, idx, 31, int)
__simulator_shuffle(_up, up, 0, unsigned int)
__simulator_shuffle(_down, down, 31, unsigned int)
__simulator_shuffle(_xor, bfly, 31, int)

#undef __simulator_shuffle
#undef __simulator_shuffle_wide
#undef __simulator_shuffle_as

#define __simulator_warp_reduction(type, builtin_name, name)                        \
  __simulator_device type __reduce_##name##_sync(unsigned int mask, type value) {   \
    return static_cast<type>(__nvvm_redux_sync_##builtin_name(static_cast<int>(value), \
                                                              static_cast<int>(mask))); \
  }
__simulator_warp_reduction(int, add, add)
__simulator_warp_reduction(unsigned int, add, add)
__simulator_warp_reduction(int, min, min)
__simulator_warp_reduction(unsigned int, umin, min)
__simulator_warp_reduction(int, max, max)
__simulator_warp_reduction(unsigned int, umax, max)
__simulator_warp_reduction(unsigned int, and, and)
__simulator_warp_reduction(unsigned int, or, or)
__simulator_warp_reduction(unsigned int, xor, xor)
#undef __simulator_warp_reduction

// Loads and stores with a cache operator. The simulated device has no caches, so the operator changes only the
// instruction's name in the report. The pointer must be to global memory.

#define __simulator_load1(type, ptx, constraint, name, op)          \
  __simulator_device type name(const type* pointer) {               \
    type value;                                                     \
    asm volatile("ld.global" op "." ptx " %0, [%1];"                \
                 : "=" constraint(value)                            \
                 : "l"(__simulator_global(pointer))                 \
                 : "memory");                                       \
    return value;                                                   \
  }
#define __simulator_load2(type, ptx, constraint, name, op)          \
  __simulator_device type name(const type* pointer) {               \
    type value;                                                     \
    asm volatile("ld.global" op ".v2." ptx " {%0, %1}, [%2];"       \
                 : "=" constraint(value.x), "=" constraint(value.y) \
                 : "l"(__simulator_global(pointer))                 \
                 : "memory");                                       \
    return value;                                                   \
  }
#define __simulator_load4(type, ptx, constraint, name, op)                  \
  __simulator_device type name(const type* pointer) {                       \
    type value;                                                             \
    asm volatile("ld.global" op ".v4." ptx " {%0, %1, %2, %3}, [%4];"       \
                 : "=" constraint(value.x), "=" constraint(value.y),        \
                   "=" constraint(value.z), "=" constraint(value.w)         \
                 : "l"(__simulator_global(pointer))                         \
                 : "memory");                                               \
    return value;                                                           \
  }
#define __simulator_store1(type, ptx, constraint, name, op)                           \
  __simulator_device void name(type* pointer, type value) {                           \
    asm volatile("st.global" op "." ptx " [%0], %1;" ::"l"(__simulator_global(pointer)), \
                 constraint(value)                                                    \
                 : "memory");                                                         \
  }
#define __simulator_store2(type, ptx, constraint, name, op)                                    \
  __simulator_device void name(type* pointer, type value) {                                    \
    asm volatile("st.global" op ".v2." ptx " [%0], {%1, %2};" ::"l"(__simulator_global(pointer)), \
                 constraint(value.x), constraint(value.y)                                      \
                 : "memory");                                                                  \
  }
#define __simulator_store4(type, ptx, constraint, name, op)                                \
  __simulator_device void name(type* pointer, type value) {                                \
    asm volatile("st.global" op ".v4." ptx " [%0], {%1, %2, %3, %4};" ::"l"(               \
                     __simulator_global(pointer)),                                         \
                 constraint(value.x), constraint(value.y), constraint(value.z),            \
                 constraint(value.w)                                                       \
                 : "memory");                                                              \
  }

// Inline assembly has no byte registers: bytes go through wider ones.
#define __simulator_load_narrow1(type, ptx, name, op)                        \
  __simulator_device type name(const type* pointer) {                        \
    unsigned int x;                                                          \
    asm volatile("ld.global" op "." ptx " %0, [%1];"                         \
                 : "=r"(x)                                                   \
                 : "l"(__simulator_global(pointer))                          \
                 : "memory");                                                \
    return static_cast<type>(x);                                             \
  }
#define __simulator_load_narrow2(type, ptx, name, op)                        \
  __simulator_device type name(const type* pointer) {                        \
    unsigned int x, y;                                                       \
    asm volatile("ld.global" op ".v2." ptx " {%0, %1}, [%2];"                \
                 : "=r"(x), "=r"(y)                                          \
                 : "l"(__simulator_global(pointer))                          \
                 : "memory");                                                \
    typedef decltype(type::x) part;                                          \
    return type{static_cast<part>(x), static_cast<part>(y)};                 \
  }
#define __simulator_load_narrow4(type, ptx, name, op)                        \
  __simulator_device type name(const type* pointer) {                        \
    unsigned int x, y, z, w;                                                 \
    asm volatile("ld.global" op ".v4." ptx " {%0, %1, %2, %3}, [%4];"        \
                 : "=r"(x), "=r"(y), "=r"(z), "=r"(w)                        \
                 : "l"(__simulator_global(pointer))                          \
                 : "memory");                                                \
    typedef decltype(type::x) part;                                          \
    return type{static_cast<part>(x), static_cast<part>(y),                  \
                static_cast<part>(z), static_cast<part>(w)};                 \
  }
#define __simulator_store_narrow1(type, ptx, name, op)                                   \
  __simulator_device void name(type* pointer, type value) {                              \
    asm volatile("st.global" op "." ptx " [%0], %1;" ::"l"(__simulator_global(pointer)), \
                 "r"(static_cast<int>(value))                                            \
                 : "memory");                                                            \
  }
#define __simulator_store_narrow2(type, ptx, name, op)                                            \
  __simulator_device void name(type* pointer, type value) {                                       \
    asm volatile("st.global" op ".v2." ptx " [%0], {%1, %2};" ::"l"(__simulator_global(pointer)), \
                 "r"(static_cast<int>(value.x)), "r"(static_cast<int>(value.y))                   \
                 : "memory");                                                                     \
  }
#define __simulator_store_narrow4(type, ptx, name, op)                               \
  __simulator_device void name(type* pointer, type value) {                          \
    asm volatile("st.global" op ".v4." ptx " [%0], {%1, %2, %3, %4};" ::"l"(         \
                     __simulator_global(pointer)),                                   \
                 "r"(static_cast<int>(value.x)), "r"(static_cast<int>(value.y)),     \
                 "r"(static_cast<int>(value.z)), "r"(static_cast<int>(value.w))      \
                 : "memory");                                                        \
  }

#define __simulator_for_each_type(access, name, op)            \
  access##_narrow1(char, "s8", name, op)                       \
  access##_narrow1(signed char, "s8", name, op)                \
  access##_narrow1(unsigned char, "u8", name, op)              \
  access##1(short, "s16", "h", name, op)                       \
  access##1(unsigned short, "u16", "h", name, op)              \
  access##1(int, "s32", "r", name, op)                         \
  access##1(unsigned int, "u32", "r", name, op)                \
  access##1(float, "f32", "f", name, op)                       \
  access##1(long, "s64", "l", name, op)                        \
  access##1(unsigned long, "u64", "l", name, op)               \
  access##1(long long, "s64", "l", name, op)                   \
  access##1(unsigned long long, "u64", "l", name, op)          \
  access##1(double, "f64", "d", name, op)                      \
  access##_narrow2(char2, "s8", name, op)                      \
  access##_narrow2(uchar2, "u8", name, op)                     \
  access##2(short2, "s16", "h", name, op)                      \
  access##2(ushort2, "u16", "h", name, op)                     \
  access##2(int2, "s32", "r", name, op)                        \
  access##2(uint2, "u32", "r", name, op)                       \
  access##2(float2, "f32", "f", name, op)                      \
  access##2(longlong2, "s64", "l", name, op)                   \
  access##2(ulonglong2, "u64", "l", name, op)                  \
  access##2(double2, "f64", "d", name, op)                     \
  access##_narrow4(char4, "s8", name, op)                      \
  access##_narrow4(uchar4, "u8", name, op)                     \
  access##4(short4, "s16", "h", name, op)                      \
  access##4(ushort4, "u16", "h", name, op)                     \
  access##4(int4, "s32", "r", name, op)                        \
  access##4(uint4, "u32", "r", name, op)                       \
  access##4(float4, "f32", "f", name, op)

__simulator_device size_t __simulator_global(const volatile void* pointer) {
  return reinterpret_cast<size_t>(
      (const volatile __attribute__((address_space(1))) void*)(pointer));
}

// The read-only load is a builtin, so that the compiler may move and merge it.
#define __simulator_read_only(type, builtin) \
  __simulator_device type __ldg(const type* pointer) { return __nvvm_ldg_##builtin(pointer); }
#define __simulator_read_only_vector2(type, builtin, element)                      \
  __simulator_device type __ldg(const type* pointer) {                             \
    typedef element wide __attribute__((ext_vector_type(2)));                      \
    const wide v = __nvvm_ldg_##builtin(reinterpret_cast<const wide*>(pointer));   \
    return type{v.x, v.y};                                                         \
  }
#define __simulator_read_only_vector4(type, builtin, element)                      \
  __simulator_device type __ldg(const type* pointer) {                             \
    typedef element wide __attribute__((ext_vector_type(4)));                      \
    const wide v = __nvvm_ldg_##builtin(reinterpret_cast<const wide*>(pointer));   \
    return type{v.x, v.y, v.z, v.w};                                               \
  }
__simulator_read_only(char, c)
__simulator_read_only(unsigned char, uc)
__simulator_read_only(short, s)
__simulator_read_only(unsigned short, us)
__simulator_read_only(int, i)
__simulator_read_only(unsigned int, ui)
__simulator_read_only(float, f)
__simulator_read_only(long, l)
__simulator_read_only(unsigned long, ul)
__simulator_read_only(long long, ll)
__simulator_read_only(unsigned long long, ull)
__simulator_read_only(double, d)
__simulator_device signed char __ldg(const signed char* pointer) {
  return static_cast<signed char>(__nvvm_ldg_c(reinterpret_cast<const char*>(pointer)));
}
__simulator_read_only_vector2(char2, c2, char)
__simulator_read_only_vector2(uchar2, uc2, unsigned char)
__simulator_read_only_vector2(short2, s2, short)
__simulator_read_only_vector2(ushort2, us2, unsigned short)
__simulator_read_only_vector4(char4, c4, char)
__simulator_read_only_vector4(uchar4, uc4, unsigned char)
__simulator_read_only_vector4(short4, s4, short)
__simulator_read_only_vector4(ushort4, us4, unsigned short)
__simulator_read_only_vector2(int2, i2, int)
__simulator_read_only_vector2(uint2, ui2, unsigned int)
__simulator_read_only_vector2(float2, f2, float)
__simulator_read_only_vector4(int4, i4, int)
__simulator_read_only_vector4(uint4, ui4, unsigned int)
__simulator_read_only_vector4(float4, f4, float)
__simulator_read_only_vector2(longlong2, ll2, long long)
__simulator_read_only_vector2(ulonglong2, ull2, unsigned long long)
__simulator_read_only_vector2(double2, d2, double)
#undef __simulator_read_only
#undef __simulator_read_only_vector2
#undef __simulator_read_only_vector4

__simulator_for_each_type(__simulator_load, __ldca, ".ca")
__simulator_for_each_type(__simulator_load, __ldcg, ".cg")
__simulator_for_each_type(__simulator_load, __ldcs, ".cs")
__simulator_for_each_type(__simulator_load, __ldlu, ".lu")
__simulator_for_each_type(__simulator_load, __ldcv, ".cv")
__simulator_for_each_type(__simulator_store, __stwb, ".wb")
__simulator_for_each_type(__simulator_store, __stcg, ".cg")
__simulator_for_each_type(__simulator_store, __stcs, ".cs")
__simulator_for_each_type(__simulator_store, __stwt, ".wt")

#undef __simulator_for_each_type
#undef __simulator_load1
#undef __simulator_load2
#undef __simulator_load4
#undef __simulator_store1
#undef __simulator_store2
#undef __simulator_store4
#undef __simulator_load_narrow1
#undef __simulator_load_narrow2
#undef __simulator_load_narrow4
#undef __simulator_store_narrow1
#undef __simulator_store_narrow2
#undef __simulator_store_narrow4

// Address spaces.

__simulator_device size_t __cvta_generic_to_shared(const void* pointer) {
  return static_cast<size_t>(static_cast<unsigned int>(reinterpret_cast<uintptr_t>(
      (const __attribute__((address_space(3))) void*)(pointer))));
}
__simulator_device size_t __cvta_generic_to_global(const void* pointer) {
  return __simulator_global(pointer);
}
__simulator_device unsigned int __isGlobal(const void* pointer) {
  return __nvvm_isspacep_global(pointer);
}
__simulator_device unsigned int __isShared(const void* pointer) {
  return __nvvm_isspacep_shared(pointer);
}
__simulator_device unsigned int __isLocal(const void* pointer) {
  return __nvvm_isspacep_local(pointer);
}
__simulator_device size_t __cvta_generic_to_local(const void* pointer) {
  return static_cast<size_t>(static_cast<unsigned int>(reinterpret_cast<uintptr_t>(
      (const __attribute__((address_space(5))) void*)(pointer))));
}
__simulator_device void* __cvta_shared_to_generic(size_t address) {
  return (void*)(__attribute__((address_space(3))) void*)(static_cast<unsigned int>(address));
}
__simulator_device void* __cvta_global_to_generic(size_t address) {
  return reinterpret_cast<void*>(address);
}

// Bits and integers.

__simulator_device int __popc(unsigned int x) { return __builtin_popcount(x); }
__simulator_device int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__simulator_device int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x));
}
__simulator_device int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
__simulator_device int __ffs(int x) { return __builtin_ffs(x); }
__simulator_device int __ffsll(long long x) { return __builtin_ffsll(x); }
__simulator_device unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
__simulator_device unsigned long long __brevll(unsigned long long x) {
  return __builtin_bitreverse64(x);
}
/// Returns the position of a set bit: the offset-th from `base` up, or from `base` down if the offset is negative; the bit at
/// `base` counts. Offset 0 asks for `base` itself. Returns 0xffffffff if there is no such bit.
__simulator_device unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  if (offset == 0) return base < 32 && (mask >> base & 1) != 0 ? base : 0xffffffffu;
  int left = offset > 0 ? offset : -offset;
  for (unsigned int at = base; at < 32; at += offset > 0 ? 1 : -1) {
    if ((mask >> at & 1) != 0 && --left == 0) return at;
  }
  return 0xffffffffu;
}
/// Returns the product of the low 24 bits of each, taken as signed numbers.
__simulator_device int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
__simulator_device unsigned int __umul24(unsigned int a, unsigned int b) {
  return (a & 0xffffffu) * (b & 0xffffffu);
}
__simulator_device int __mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
__simulator_device unsigned int __umulhi(unsigned int a, unsigned int b) {
  return __nvvm_mulhi_ui(a, b);
}
__simulator_device long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
__simulator_device unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return __nvvm_mulhi_ull(a, b);
}
/// Returns |x - y| + z.
__simulator_device unsigned int __sad(int x, int y, unsigned int z) {
  const unsigned int a = static_cast<unsigned int>(x), b = static_cast<unsigned int>(y);
  return (x < y ? b - a : a - b) + z;
}
__simulator_device unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) {
  return (x < y ? y - x : x - y) + z;
}
/// Averages without overflow: rounded down, and with an r rounded up.
__simulator_device int __hadd(int x, int y) { return (x & y) + ((x ^ y) >> 1); }
__simulator_device int __rhadd(int x, int y) { return (x | y) - ((x ^ y) >> 1); }
__simulator_device unsigned int __uhadd(unsigned int x, unsigned int y) {
  return (x & y) + ((x ^ y) >> 1);
}
__simulator_device unsigned int __urhadd(unsigned int x, unsigned int y) {
  return (x | y) - ((x ^ y) >> 1);
}
__simulator_device unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int selector) {
  return __nvvm_prmt(a, b, selector);
}
__simulator_device unsigned int __funnelshift_l(unsigned int low, unsigned int high,
                                                unsigned int shift) {
  return static_cast<unsigned int>(
      ((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31)) >> 32);
}
__simulator_device unsigned int __funnelshift_r(unsigned int low, unsigned int high,
                                                unsigned int shift) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(high) << 32 | low) >>
                                   (shift & 31));
}
/// The same with the amount limited to 32.
__simulator_device unsigned int __funnelshift_lc(unsigned int low, unsigned int high,
                                                 unsigned int shift) {
  return static_cast<unsigned int>(
      ((static_cast<unsigned long long>(high) << 32 | low) << (shift < 32 ? shift : 32)) >> 32);
}
__simulator_device unsigned int __funnelshift_rc(unsigned int low, unsigned int high,
                                                 unsigned int shift) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(high) << 32 | low) >>
                                   (shift < 32 ? shift : 32));
}

// Sums of the products of the words' bytes or halves, plus c.

#define __simulator_dot(type, vector4, vector2, half_vector, ptx)                                \
  __simulator_device type __dp4a(type a, type b, type c) {                                       \
    type d;                                                                                      \
    asm("dp4a." ptx " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));                      \
    return d;                                                                                    \
  }                                                                                              \
  __simulator_device type __dp2a_lo(type a, type b, type c) {                                    \
    type d;                                                                                      \
    asm("dp2a.lo." ptx " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));                   \
    return d;                                                                                    \
  }                                                                                              \
  __simulator_device type __dp2a_hi(type a, type b, type c) {                                    \
    type d;                                                                                      \
    asm("dp2a.hi." ptx " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));                   \
    return d;                                                                                    \
  }                                                                                              \
  __simulator_device type __dp4a(vector4 a, vector4 b, type c) {                                 \
    return __dp4a(__builtin_bit_cast(type, a), __builtin_bit_cast(type, b), c);                  \
  }                                                                                              \
  __simulator_device type __dp2a_lo(half_vector a, vector4 b, type c) {                          \
    return __dp2a_lo(__builtin_bit_cast(type, a), __builtin_bit_cast(type, b), c);               \
  }                                                                                              \
  __simulator_device type __dp2a_hi(half_vector a, vector4 b, type c) {                          \
    return __dp2a_hi(__builtin_bit_cast(type, a), __builtin_bit_cast(type, b), c);               \
  }
__simulator_dot(int, char4, char2, short2, "s32.s32")
__simulator_dot(unsigned int, uchar4, uchar2, ushort2, "u32.u32")
#undef __simulator_dot

// SIMD within a word: two halves or four bytes at a time.

/// Splits a and b into N parts of BITS bits each, and joins F(part of a, part of b) again.
// Memory for a shared variable whose constructor nothing calls (nvcc_spellings.py).
template <typename T>
struct alignas(T) __simulator_raw {
  unsigned char bytes[sizeof(T)];
};

template <int Parts, typename T, typename Function>
__simulator_device unsigned int __simulator_parts(unsigned int a, unsigned int b, Function f) {
  constexpr int bits = 32 / Parts;
  constexpr unsigned int ones = bits == 16 ? 0xffffu : 0xffu;
  unsigned int result = 0;
#pragma unroll
  for (int i = 0; i < Parts; ++i) {
    const T x = static_cast<T>(a >> (bits * i)), y = static_cast<T>(b >> (bits * i));
    result |= (static_cast<unsigned int>(f(static_cast<int>(x), static_cast<int>(y))) & ones)
              << (bits * i);
  }
  return result;
}
#define __simulator_simd2(name, n, type, expression)                               \
  __simulator_device unsigned int name(unsigned int a, unsigned int b) {           \
    return __simulator_parts<n, type>(a, b, [](int x, int y) __attribute__((always_inline, nodebug)) { return expression; }); \
  }
#define __simulator_simd1(name, n, type, expression)                               \
  __simulator_device unsigned int name(unsigned int a) {                           \
    return __simulator_parts<n, type>(a, 0, [](int x, int) __attribute__((always_inline, nodebug)) { return expression; }); \
  }
#define __simulator_simd(n, signed_type, unsigned_type, low, high, most)                           \
  __simulator_simd2(__vadd##n, n, unsigned_type, x + y)                                            \
  __simulator_simd2(__vsub##n, n, unsigned_type, x - y)                                            \
  __simulator_simd2(__vaddss##n, n, signed_type, x + y < low ? low : x + y > high ? high : x + y)  \
  __simulator_simd2(__vsubss##n, n, signed_type, x - y < low ? low : x - y > high ? high : x - y)  \
  __simulator_simd2(__vaddus##n, n, unsigned_type, x + y > most ? most : x + y)                    \
  __simulator_simd2(__vsubus##n, n, unsigned_type, x < y ? 0 : x - y)                              \
  __simulator_simd2(__vavgs##n, n, signed_type, (x + y + (x + y >= 0)) >> 1)                       \
  __simulator_simd2(__vavgu##n, n, unsigned_type, (x + y + 1) >> 1)                                \
  __simulator_simd2(__vhaddu##n, n, unsigned_type, (x + y) >> 1)                                   \
  __simulator_simd2(__vabsdiffs##n, n, signed_type, x < y ? y - x : x - y)                         \
  __simulator_simd2(__vabsdiffu##n, n, unsigned_type, x < y ? y - x : x - y)                       \
  __simulator_simd2(__vmaxs##n, n, signed_type, x > y ? x : y)                                     \
  __simulator_simd2(__vmaxu##n, n, unsigned_type, x > y ? x : y)                                   \
  __simulator_simd2(__vmins##n, n, signed_type, x < y ? x : y)                                     \
  __simulator_simd2(__vminu##n, n, unsigned_type, x < y ? x : y)                                   \
  __simulator_simd2(__vcmpeq##n, n, unsigned_type, x == y ? -1 : 0)                                \
  __simulator_simd2(__vcmpne##n, n, unsigned_type, x != y ? -1 : 0)                                \
  __simulator_simd2(__vcmpges##n, n, signed_type, x >= y ? -1 : 0)                                 \
  __simulator_simd2(__vcmpgeu##n, n, unsigned_type, x >= y ? -1 : 0)                               \
  __simulator_simd2(__vcmpgts##n, n, signed_type, x > y ? -1 : 0)                                  \
  __simulator_simd2(__vcmpgtu##n, n, unsigned_type, x > y ? -1 : 0)                                \
  __simulator_simd2(__vcmples##n, n, signed_type, x <= y ? -1 : 0)                                 \
  __simulator_simd2(__vcmpleu##n, n, unsigned_type, x <= y ? -1 : 0)                               \
  __simulator_simd2(__vcmplts##n, n, signed_type, x < y ? -1 : 0)                                  \
  __simulator_simd2(__vcmpltu##n, n, unsigned_type, x < y ? -1 : 0)                                \
  __simulator_simd2(__vseteq##n, n, unsigned_type, x == y)                                         \
  __simulator_simd2(__vsetne##n, n, unsigned_type, x != y)                                         \
  __simulator_simd2(__vsetges##n, n, signed_type, x >= y)                                          \
  __simulator_simd2(__vsetgeu##n, n, unsigned_type, x >= y)                                        \
  __simulator_simd2(__vsetgts##n, n, signed_type, x > y)                                           \
  __simulator_simd2(__vsetgtu##n, n, unsigned_type, x > y)                                         \
  __simulator_simd2(__vsetles##n, n, signed_type, x <= y)                                          \
  __simulator_simd2(__vsetleu##n, n, unsigned_type, x <= y)                                        \
  __simulator_simd2(__vsetlts##n, n, signed_type, x < y)                                           \
  __simulator_simd2(__vsetltu##n, n, unsigned_type, x < y)                                         \
  __simulator_simd1(__vabs##n, n, signed_type, x < 0 ? -x : x)                                     \
  __simulator_simd1(__vabsss##n, n, signed_type, x == low ? high : x < 0 ? -x : x)                 \
  __simulator_simd1(__vneg##n, n, signed_type, -x)                                                 \
  __simulator_simd1(__vnegss##n, n, signed_type, x == low ? high : -x)                             \
  /** Adds up the distances of the parts. */                                                        \
  __simulator_device unsigned int __vsads##n(unsigned int a, unsigned int b) {                     \
    return __simulator_sum<n>(__vabsdiffs##n(a, b));                                               \
  }                                                                                                \
  __simulator_device unsigned int __vsadu##n(unsigned int a, unsigned int b) {                     \
    return __simulator_sum<n>(__vabsdiffu##n(a, b));                                               \
  }
template <int Parts>
__simulator_device unsigned int __simulator_sum(unsigned int a) {
  return Parts == 2 ? (a & 0xffffu) + (a >> 16)
                : (a & 0xffu) + (a >> 8 & 0xffu) + (a >> 16 & 0xffu) + (a >> 24);
}
__simulator_simd(2, short, unsigned short, -32768, 32767, 65535)
__simulator_simd(4, signed char, unsigned char, -128, 127, 255)
#undef __simulator_simd
#undef __simulator_simd1
#undef __simulator_simd2

// Reinterprets a value's bits as another type.

#define __simulator_bits(from, to, name)        \
  __simulator_device to name(from x) {          \
    return __builtin_bit_cast(to, x);           \
  }
__simulator_bits(float, int, __float_as_int)
__simulator_bits(float, unsigned int, __float_as_uint)
__simulator_bits(int, float, __int_as_float)
__simulator_bits(unsigned int, float, __uint_as_float)
__simulator_bits(double, long long, __double_as_longlong)
__simulator_bits(long long, double, __longlong_as_double)
#undef __simulator_bits

__simulator_device double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(high) << 32 |
                              static_cast<long long>(static_cast<unsigned int>(low)));
}
__simulator_device int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
__simulator_device int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }

// Conversions: _rn to nearest even, _rz towards zero, _ru up, _rd down. In assembly, because clang takes its
// builtins for the C++ conversions, which round differently and leave a value out of range undefined.

#define __simulator_convert(from, a, to, d, name, ptx)          \
  __simulator_device to name(from x) {                          \
    to result;                                                  \
    asm("cvt." ptx " %0, %1;" : "=" d(result) : a(x));          \
    return result;                                              \
  }
#define __simulator_convert_all(from, a, to, d, name, suffix, ptx)           \
  __simulator_convert(from, a, to, d, name##_rn, "rn" suffix "." ptx)        \
  __simulator_convert(from, a, to, d, name##_rz, "rz" suffix "." ptx)        \
  __simulator_convert(from, a, to, d, name##_ru, "rp" suffix "." ptx)        \
  __simulator_convert(from, a, to, d, name##_rd, "rm" suffix "." ptx)
__simulator_convert_all(float, "f", int, "r", __float2int, "i", "s32.f32")
__simulator_convert_all(float, "f", unsigned int, "r", __float2uint, "i", "u32.f32")
__simulator_convert_all(float, "f", long long, "l", __float2ll, "i", "s64.f32")
__simulator_convert_all(float, "f", unsigned long long, "l", __float2ull, "i", "u64.f32")
__simulator_convert_all(double, "d", int, "r", __double2int, "i", "s32.f64")
__simulator_convert_all(double, "d", unsigned int, "r", __double2uint, "i", "u32.f64")
__simulator_convert_all(double, "d", long long, "l", __double2ll, "i", "s64.f64")
__simulator_convert_all(double, "d", unsigned long long, "l", __double2ull, "i", "u64.f64")
__simulator_convert_all(int, "r", float, "f", __int2float, "", "f32.s32")
__simulator_convert_all(unsigned int, "r", float, "f", __uint2float, "", "f32.u32")
__simulator_convert_all(long long, "l", float, "f", __ll2float, "", "f32.s64")
__simulator_convert_all(unsigned long long, "l", float, "f", __ull2float, "", "f32.u64")
__simulator_convert_all(long long, "l", double, "d", __ll2double, "", "f64.s64")
__simulator_convert_all(unsigned long long, "l", double, "d", __ull2double, "", "f64.u64")
__simulator_convert_all(double, "d", float, "f", __double2float, "", "f32.f64")
__simulator_convert(int, "r", double, "d", __int2double_rn, "rn.f64.s32")
__simulator_convert(unsigned int, "r", double, "d", __uint2double_rn, "rn.f64.u32")
#undef __simulator_convert_all
#undef __simulator_convert

#endif
