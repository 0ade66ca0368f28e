// Textures: arrays and memory that kernels read by coordinates, with filtering.
//
// (CUDA C++ Programming Guide, "Texture and Surface Memory" and "Texture Fetching".)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace simulator {

/// The elements of a texture.
struct TexelFormat {
  enum class Kind : uint8_t { signed_integer, unsigned_integer, floating };
  Kind kind = Kind::floating;
  uint32_t bits = 32;     // of a channel: 8, 16 or 32
  uint32_t channels = 1;  // 1, 2 or 4

  uint32_t bytes() const { return bits / 8 * channels; }
};

/// The texel for a coordinate outside of the texture.
enum class AddressMode : uint8_t {
  wrap,    // begins again at the other side
  clamp,   // the nearest texel
  mirror,  // goes back from the edge
  border,  // none: the border's colour
};

/// A texture object.
struct Texture {
  enum class Shape : uint8_t { linear, flat1, flat2, flat3, layered1, layered2, cube };
  Shape shape = Shape::linear;  // linear: memory that is read by whole numbers alone
  uint64_t base = 0;            // address of the first texel
  TexelFormat format;
  uint64_t width = 1, height = 1,
           depth = 1;                  // in texels; of layers or faces, `depth` is their number
  uint64_t pitch = 0;                  // bytes from row to row
  bool is_array = false;               // else memory that kernels may also write
  std::array<AddressMode, 3> modes{};  // in x, y, z
  bool is_linear = false;              // filters between neighbouring texels
  bool is_normalized = false;          // coordinates go from 0 to 1
  bool gives_fractions = false;        // whole numbers become numbers from -1 or 0 to 1
  bool is_srgb = false;                // likewise, after the curve of sRGB
  std::array<float, 4> border{};

  /// Returns the address of a texel, whose rows lie one after the other.
  uint64_t address(uint64_t x, uint64_t y, uint64_t z) const {
    return base + (z * height + y) * pitch + x * format.bytes();
  }
};

/// A fetch's coordinates. The layer, or z in three dimensions and of a cube's direction, comes last.
struct TexturePlace {
  std::array<double, 3> at{};
  int64_t layer = 0;
};

/// A texel that a fetch reads, with its share of the result.
struct Tap {
  uint64_t x = 0, y = 0, z = 0;
  double weight = 1;
  bool is_border = false;
};
struct Taps {
  std::array<Tap, 8> all;
  size_t count = 0;
};

/// Returns the texels that a fetch reads.
Taps find_taps(const Texture& texture, const TexturePlace& place);
/// Returns the four texels around a place, in the order of a gather.
Taps find_gathered(const Texture& texture, const TexturePlace& place);

/// Returns the channels of a texel as numbers; absent channels are 0, and a fraction's fourth channel is 1.
std::array<double, 4> texel_values(const Texture& texture, const std::byte* texel);
/// Returns the channels of a texel as whole numbers, with their sign.
std::array<uint32_t, 4> texel_bits(const Texture& texture, const std::byte* texel);

/// A place in the texture that a request fetches at once, as a number: see lens/prices.hpp for sectors and lines of plain memory.
struct TexelPlaces {
  uint64_t sector = 0, line = 0;
};
TexelPlaces places_of(const Texture& texture, const Tap& tap);

/// The texture objects of a device. Thread-safe.
class TextureStore {
 public:
  /// Returns the new object's handle, which is never given out again.
  uint64_t add(const Texture& texture);
  /// Returns false if there is no such object.
  bool remove(uint64_t handle);
  /// Returns nullptr if there is no such object.
  std::shared_ptr<const Texture> find(uint64_t handle) const;
  /// The number of objects that were removed.
  uint64_t removed() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, std::shared_ptr<const Texture>> textures_;
  uint64_t last_ = 0, removed_ = 0;
};

}  // namespace simulator
