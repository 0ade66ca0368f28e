// cuda::std: the host's standard library under libcu++'s name.
//
// clang lets device code call any constexpr function. So types, traits, limits, arrays and tuples of the host's library work
// on the device as they are. Functions that are not constexpr in the program's C++ are refused there by the compiler; a few of
// them are our own, in the headers beside this one.
#pragma once
#pragma GCC system_header

namespace std {}
namespace cuda {
namespace std {
using namespace ::std;
}
}  // namespace cuda

// The attributes of functions of these classes: their instructions count for the line that calls them.
#define __simulator_class_member inline __attribute__((always_inline, nodebug)) __device__
#define __simulator_class_member_of_both inline __attribute__((always_inline, nodebug)) __host__ __device__
