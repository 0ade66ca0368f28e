// Fetches from texture objects in device code, and the formats of C++'s types.
//
// Covered: tex1Dfetch, tex1D, tex2D, tex3D, tex1DLayered, tex2DLayered, texCubemap and tex2Dgather of every type with 1, 2 or 4
// channels, and the forms with a level or a gradient: without mipmapped arrays there is only level 0. Each is one `tex` instruction.
#pragma once
#pragma GCC system_header

#include "functions.h"

#ifdef __cplusplus

/// The format of a type: its channels' number, bits and kind.
template <typename T>
inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define __simulator_format(type, channels, kind)                                                     \
  template <>                                                                                        \
  inline cudaChannelFormatDesc cudaCreateChannelDesc<type>() {                                       \
    constexpr int bits = static_cast<int>(sizeof(type) / (channels) * 8);                            \
    return cudaCreateChannelDesc(bits, (channels) > 1 ? bits : 0, (channels) > 2 ? bits : 0,         \
                                 (channels) > 3 ? bits : 0, cudaChannelFormatKind##kind);            \
  }
#define __simulator_formats(scalar, vector, kind) \
  __simulator_format(scalar, 1, kind)             \
  __simulator_format(vector##1, 1, kind)          \
  __simulator_format(vector##2, 2, kind)          \
  __simulator_format(vector##4, 4, kind)
__simulator_formats(signed char, char, Signed)
__simulator_formats(unsigned char, uchar, Unsigned)
__simulator_formats(short, short, Signed)
__simulator_formats(unsigned short, ushort, Unsigned)
__simulator_formats(int, int, Signed)
__simulator_formats(unsigned int, uint, Unsigned)
__simulator_formats(float, float, Float)
template <>
inline cudaChannelFormatDesc cudaCreateChannelDesc<char>() {
  return cudaCreateChannelDesc(8, 0, 0, 0, static_cast<char>(-1) < 0 ? cudaChannelFormatKindSigned
                                                                     : cudaChannelFormatKindUnsigned);
}
#undef __simulator_format
#undef __simulator_formats
inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {
  return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() { return cudaCreateChannelDescHalf(); }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
  return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
  return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}

inline cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                           const cudaTextureDesc* texture) {
  return cudaCreateTextureObject(object, resource, texture, nullptr);
}

#if defined(__CUDA__)

/// What an instruction gives for a type: four numbers, or four words with or without a sign.
template <typename T>
struct __texel_of;
#define __simulator_texels(scalar, vector, result)                                                   \
  template <>                                                                                        \
  struct __texel_of<scalar> {                                                                        \
    using words = result;                                                                            \
    static __simulator_texel scalar from(const result& r) { return static_cast<scalar>(r.x); }       \
  };                                                                                                 \
  template <>                                                                                        \
  struct __texel_of<vector##1> {                                                                     \
    using words = result;                                                                            \
    static __simulator_texel vector##1 from(const result& r) { return {static_cast<scalar>(r.x)}; }  \
  };                                                                                                 \
  template <>                                                                                        \
  struct __texel_of<vector##2> {                                                                     \
    using words = result;                                                                            \
    static __simulator_texel vector##2 from(const result& r) {                                       \
      return {static_cast<scalar>(r.x), static_cast<scalar>(r.y)};                                   \
    }                                                                                                \
  };                                                                                                 \
  template <>                                                                                        \
  struct __texel_of<vector##4> {                                                                     \
    using words = result;                                                                            \
    static __simulator_texel vector##4 from(const result& r) {                                       \
      return {static_cast<scalar>(r.x), static_cast<scalar>(r.y), static_cast<scalar>(r.z),          \
              static_cast<scalar>(r.w)};                                                             \
    }                                                                                                \
  };
#define __simulator_texel inline __attribute__((always_inline, nodebug)) __device__
__simulator_texels(signed char, char, int4)
__simulator_texels(unsigned char, uchar, uint4)
__simulator_texels(short, short, int4)
__simulator_texels(unsigned short, ushort, uint4)
__simulator_texels(int, int, int4)
__simulator_texels(unsigned int, uint, uint4)
__simulator_texels(float, float, float4)
template <>
struct __texel_of<char> {
  using words = int4;
  static __simulator_texel char from(const int4& r) { return static_cast<char>(r.x); }
};
#undef __simulator_texels
#undef __simulator_texel

// One instruction for each result. The texture is operand 4, the coordinates follow.
#define __simulator_fetch_to(words, type, letter, name, opcode, coordinates, place, parameters, ...)   \
  __simulator_device void name(words& r, cudaTextureObject_t texture, __simulator_strip parameters) {  \
    asm volatile(opcode "." type "." coordinates " {%0, %1, %2, %3}, [%4, {" place "}];"               \
                 : "=" letter(r.x), "=" letter(r.y), "=" letter(r.z), "=" letter(r.w)                  \
                 : "l"(texture), __VA_ARGS__);                                                         \
  }
#define __simulator_fetch(name, opcode, coordinates, place, parameters, ...)                            \
  __simulator_fetch_to(float4, "f32", "f", name, opcode, coordinates, place, parameters, __VA_ARGS__)   \
  __simulator_fetch_to(int4, "s32", "r", name, opcode, coordinates, place, parameters, __VA_ARGS__)     \
  __simulator_fetch_to(uint4, "u32", "r", name, opcode, coordinates, place, parameters, __VA_ARGS__)
#define __simulator_strip(...) __VA_ARGS__
__simulator_fetch(__fetch_linear, "tex.1d.v4", "s32", "%5", (int x), "r"(x))
__simulator_fetch(__fetch_1d, "tex.1d.v4", "f32", "%5", (float x), "f"(x))
__simulator_fetch(__fetch_2d, "tex.2d.v4", "f32", "%5, %6", (float x, float y), "f"(x), "f"(y))
__simulator_fetch(__fetch_3d, "tex.3d.v4", "f32", "%5, %6, %7, %7", (float x, float y, float z), "f"(x), "f"(y),
                  "f"(z))
__simulator_fetch(__fetch_a1d, "tex.a1d.v4", "f32", "%5, %6", (int layer, float x), "r"(layer), "f"(x))
__simulator_fetch(__fetch_a2d, "tex.a2d.v4", "f32", "%5, %6, %7, %7", (int layer, float x, float y), "r"(layer),
                  "f"(x), "f"(y))
__simulator_fetch(__fetch_cube, "tex.cube.v4", "f32", "%5, %6, %7, %7", (float x, float y, float z), "f"(x), "f"(y),
                  "f"(z))
__simulator_fetch(__gather_r, "tld4.r.2d.v4", "f32", "%5, %6", (float x, float y), "f"(x), "f"(y))
__simulator_fetch(__gather_g, "tld4.g.2d.v4", "f32", "%5, %6", (float x, float y), "f"(x), "f"(y))
__simulator_fetch(__gather_b, "tld4.b.2d.v4", "f32", "%5, %6", (float x, float y), "f"(x), "f"(y))
__simulator_fetch(__gather_a, "tld4.a.2d.v4", "f32", "%5, %6", (float x, float y), "f"(x), "f"(y))
#undef __simulator_fetch
#undef __simulator_fetch_to

// The functions of CUDA, each also with the result by a pointer.
#define __simulator_texture_function(name, parameters, ...)                                            \
  template <typename T>                                                                                \
  __simulator_device T name(cudaTextureObject_t texture, __simulator_strip parameters) {               \
    typename __texel_of<T>::words r;                                                                   \
    __VA_ARGS__;                                                                                       \
    return __texel_of<T>::from(r);                                                                     \
  }                                                                                                    \
  template <typename T>                                                                                \
  __simulator_device void name(T* result, cudaTextureObject_t texture, __simulator_strip parameters) { \
    typename __texel_of<T>::words r;                                                                   \
    __VA_ARGS__;                                                                                       \
    *result = __texel_of<T>::from(r);                                                                  \
  }
__simulator_texture_function(tex1Dfetch, (int x), __fetch_linear(r, texture, x))
__simulator_texture_function(tex1D, (float x), __fetch_1d(r, texture, x))
__simulator_texture_function(tex2D, (float x, float y), __fetch_2d(r, texture, x, y))
__simulator_texture_function(tex3D, (float x, float y, float z), __fetch_3d(r, texture, x, y, z))
__simulator_texture_function(tex1DLayered, (float x, int layer), __fetch_a1d(r, texture, layer, x))
__simulator_texture_function(tex2DLayered, (float x, float y, int layer), __fetch_a2d(r, texture, layer, x, y))
__simulator_texture_function(texCubemap, (float x, float y, float z), __fetch_cube(r, texture, x, y, z))
__simulator_texture_function(tex1DLod, (float x, float), __fetch_1d(r, texture, x))
__simulator_texture_function(tex2DLod, (float x, float y, float), __fetch_2d(r, texture, x, y))
__simulator_texture_function(tex3DLod, (float x, float y, float z, float), __fetch_3d(r, texture, x, y, z))
__simulator_texture_function(tex1DLayeredLod, (float x, int layer, float), __fetch_a1d(r, texture, layer, x))
__simulator_texture_function(tex2DLayeredLod, (float x, float y, int layer, float),
                             __fetch_a2d(r, texture, layer, x, y))
__simulator_texture_function(texCubemapLod, (float x, float y, float z, float), __fetch_cube(r, texture, x, y, z))
__simulator_texture_function(tex1DGrad, (float x, float, float), __fetch_1d(r, texture, x))
__simulator_texture_function(tex2DGrad, (float x, float y, float2, float2), __fetch_2d(r, texture, x, y))
__simulator_texture_function(tex3DGrad, (float x, float y, float z, float4, float4),
                             __fetch_3d(r, texture, x, y, z))
__simulator_texture_function(tex1DLayeredGrad, (float x, int layer, float, float),
                             __fetch_a1d(r, texture, layer, x))
__simulator_texture_function(tex2DLayeredGrad, (float x, float y, int layer, float2, float2),
                             __fetch_a2d(r, texture, layer, x, y))
#undef __simulator_texture_function
#undef __simulator_strip

/// Returns one component of the four texels around a place: those at (0, 1), (1, 1), (1, 0) and (0, 0).
template <typename T>
__simulator_device T tex2Dgather(cudaTextureObject_t texture, float x, float y, int component = 0) {
  typename __texel_of<T>::words r;
  switch (component) {
    case 0: __gather_r(r, texture, x, y); break;
    case 1: __gather_g(r, texture, x, y); break;
    case 2: __gather_b(r, texture, x, y); break;
    default: __gather_a(r, texture, x, y); break;
  }
  return __texel_of<T>::from(r);
}
template <typename T>
__simulator_device void tex2Dgather(T* result, cudaTextureObject_t texture, float x, float y, int component = 0) {
  *result = tex2Dgather<T>(texture, x, y, component);
}

#endif  // __CUDA__
#endif  // __cplusplus
