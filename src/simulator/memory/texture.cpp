#include "simulator/memory/texture.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

namespace simulator {
namespace {

// The texels of one dimension that a fetch reads.
struct Along {
  std::array<std::optional<uint64_t>, 2> index;  // nothing: outside, at the border
  std::array<double, 2> weight{1, 0};
  size_t count = 1;
};

// Returns the texel that stands for the index, by the address mode.
std::optional<uint64_t> resolve(int64_t index, uint64_t size, AddressMode mode) {
  const auto n = static_cast<int64_t>(size);
  switch (mode) {
    case AddressMode::wrap:
      return static_cast<uint64_t>((index % n + n) % n);
    case AddressMode::mirror: {
      const int64_t in_two = (index % (2 * n) + 2 * n) % (2 * n);
      return static_cast<uint64_t>(in_two < n ? in_two : 2 * n - 1 - in_two);
    }
    case AddressMode::border:
      if (index < 0 || index >= n) return std::nullopt;
      return static_cast<uint64_t>(index);
    case AddressMode::clamp:
      break;
  }
  return static_cast<uint64_t>(std::clamp<int64_t>(index, 0, n - 1));
}

// Returns a coordinate in texels, within a range that whole numbers have.
double scaled(const Texture& texture, double coordinate, uint64_t size) {
  constexpr double MOST = 1 << 30;
  const double at = texture.is_normalized ? coordinate * static_cast<double>(size) : coordinate;
  return std::isnan(at) ? 0 : std::clamp(at, -MOST, MOST);
}

// Wrapping and mirroring are for normalized coordinates alone; others clamp.
AddressMode mode_of(const Texture& texture, size_t dimension) {
  const AddressMode mode = texture.modes[dimension];
  const bool repeats = mode == AddressMode::wrap || mode == AddressMode::mirror;
  return repeats && !texture.is_normalized ? AddressMode::clamp : mode;
}

// Linear filtering, in one dimension: with xB = x - 0.5, i = floor(xB) and a = frac(xB), the result is (1 - a) T[i] + a T[i + 1].
// a is in a 9-bit fixed point format with 8 bits of fraction, so 1.0 is represented exactly. (CUDA C++ Programming Guide, "Linear
// Filtering".) So a is rounded: cut off, it would never be 1.0.
struct Split {
  int64_t index = 0;
  double fraction = 0;
};
Split split(double at) {
  constexpr int64_t UNIT = 256;
  const auto fixed = static_cast<int64_t>(std::floor((at - 0.5) * UNIT + 0.5));
  const int64_t index = fixed >= 0 ? fixed / UNIT : -((-fixed + UNIT - 1) / UNIT);
  return {index, static_cast<double>(fixed - index * UNIT) / UNIT};
}

Along along(const Texture& texture, double coordinate, uint64_t size, size_t dimension) {
  const AddressMode mode = mode_of(texture, dimension);
  const double at = scaled(texture, coordinate, size);
  Along result;
  if (!texture.is_linear) {
    result.index[0] = resolve(static_cast<int64_t>(std::floor(at)), size, mode);
    return result;
  }
  const auto [index, fraction] = split(at);
  result.index = {resolve(index, size, mode), resolve(index + 1, size, mode)};
  result.weight = {1 - fraction, fraction};
  result.count = 2;
  return result;
}

// The face of a cube that a direction hits, and the place on it. (CUDA C++ Programming Guide, "Cubemap Textures".)
TexturePlace on_face(const std::array<double, 3>& direction) {
  const auto [x, y, z] = direction;
  const double ax = std::abs(x), ay = std::abs(y), az = std::abs(z);
  int64_t face = 0;
  double m = 0, s = 0, t = 0;
  if (ax >= ay && ax >= az) {
    face = x >= 0 ? 0 : 1;
    m = ax;
    s = x >= 0 ? -z : z;
    t = -y;
  } else if (ay >= az) {
    face = y >= 0 ? 2 : 3;
    m = ay;
    s = x;
    t = y >= 0 ? z : -z;
  } else {
    face = z >= 0 ? 4 : 5;
    m = az;
    s = z >= 0 ? x : -x;
    t = -y;
  }
  return {{(s / m + 1) / 2, (t / m + 1) / 2, 0}, face};
}

int dimensions_of(Texture::Shape shape) {
  switch (shape) {
    case Texture::Shape::linear:
    case Texture::Shape::flat1:
    case Texture::Shape::layered1:
      return 1;
    case Texture::Shape::flat2:
    case Texture::Shape::layered2:
    case Texture::Shape::cube:
      return 2;
    case Texture::Shape::flat3:
      return 3;
  }
  return 1;
}

double fraction_of(uint32_t bits, const TexelFormat& format) {
  if (format.kind == TexelFormat::Kind::unsigned_integer)
    return bits / (std::exp2(format.bits) - 1);
  return std::max(static_cast<int32_t>(bits) / (std::exp2(format.bits - 1) - 1), -1.0);
}

// (IEC 61966-2-1.)
double from_srgb(double value) {
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

float from_half(uint32_t bits) {
  const uint32_t sign = (bits & 0x8000) << 16, exponent = bits >> 10 & 0x1f,
                 fraction = bits & 0x3ff;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f80'0000 | fraction << 13);
  const float value = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                    : std::ldexp(static_cast<float>(fraction | 0x400),
                                                 static_cast<int>(exponent) - 25);
  return sign != 0 ? -value : value;
}

}  // namespace

Taps find_taps(const Texture& texture, const TexturePlace& place) {
  Taps taps;
  if (texture.shape == Texture::Shape::linear) {
    const double at = place.at[0];
    taps.count = 1;
    taps.all[0].is_border = at < 0 || at >= static_cast<double>(texture.width);
    if (!taps.all[0].is_border) taps.all[0].x = static_cast<uint64_t>(at);
    return taps;
  }
  const bool is_cube = texture.shape == Texture::Shape::cube;
  const TexturePlace at = is_cube ? on_face(place.at) : place;
  const int dimensions = dimensions_of(texture.shape);
  const auto layer = static_cast<uint64_t>(
      std::clamp<int64_t>(at.layer, 0, static_cast<int64_t>(texture.depth) - 1));
  Along x = along(texture, at.at[0], texture.width, 0), y, z;
  y.index[0] = 0;
  z.index[0] = dimensions < 3 ? layer : 0;
  if (dimensions > 1) y = along(texture, at.at[1], texture.height, 1);
  if (dimensions > 2) z = along(texture, at.at[2], texture.depth, 2);
  for (size_t k = 0; k < z.count; ++k) {
    for (size_t j = 0; j < y.count; ++j) {
      for (size_t i = 0; i < x.count; ++i) {
        Tap& tap = taps.all[taps.count++];
        tap.weight = x.weight[i] * y.weight[j] * z.weight[k];
        tap.is_border = !x.index[i] || !y.index[j] || !z.index[k];
        if (tap.is_border) continue;
        tap.x = *x.index[i];
        tap.y = *y.index[j];
        tap.z = *z.index[k];
      }
    }
  }
  return taps;
}

Taps find_gathered(const Texture& texture, const TexturePlace& place) {
  Texture filtered = texture;
  filtered.is_linear = true;
  const Taps square = find_taps(filtered, place);  // (0, 0), (1, 0), (0, 1), (1, 1)
  Taps taps;
  taps.count = 4;
  for (size_t i = 0; i < 4; ++i) taps.all[i] = square.all[std::array<size_t, 4>{2, 3, 1, 0}[i]];
  return taps;
}

std::array<uint32_t, 4> texel_bits(const Texture& texture, const std::byte* texel) {
  const TexelFormat& format = texture.format;
  const uint32_t bytes = format.bits / 8;
  std::array<uint32_t, 4> bits{};
  for (uint32_t channel = 0; channel < format.channels; ++channel) {
    std::memcpy(&bits[channel], texel + channel * bytes, bytes);
    if (format.kind == TexelFormat::Kind::signed_integer) {
      const uint32_t unused = 32 - format.bits;
      bits[channel] =
          static_cast<uint32_t>(static_cast<int32_t>(bits[channel] << unused) >> unused);
    }
  }
  return bits;
}

std::array<double, 4> texel_values(const Texture& texture, const std::byte* texel) {
  const TexelFormat& format = texture.format;
  const std::array<uint32_t, 4> bits = texel_bits(texture, texel);
  std::array<double, 4> values{};
  for (uint32_t channel = 0; channel < format.channels; ++channel) {
    double& value = values[channel];
    if (format.kind == TexelFormat::Kind::floating) {
      value = format.bits == 16 ? from_half(bits[channel]) : std::bit_cast<float>(bits[channel]);
    } else if (texture.gives_fractions) {
      value = fraction_of(bits[channel], format);
      if (texture.is_srgb && channel < 3) value = from_srgb(value);
    } else if (format.kind == TexelFormat::Kind::signed_integer) {
      value = static_cast<int32_t>(bits[channel]);
    } else {
      value = bits[channel];
    }
  }
  return values;
}

// In an array of two or three dimensions a sector holds 16 bytes of 2 rows, and a line 32 bytes of 4 rows: NVIDIA's block linear
// layout (Tegra X1 Technical Reference Manual, "Block Linear"). Other textures lie in memory row by row.
TexelPlaces places_of(const Texture& texture, const Tap& tap) {
  const uint64_t bytes = texture.format.bytes();
  const uint64_t address = texture.address(tap.x, tap.y, tap.z);
  if (!texture.is_array || dimensions_of(texture.shape) == 1) return {address / 32, address / 128};
  const auto place = [&](uint64_t width, uint64_t height) {
    const uint64_t columns = texture.pitch / width + 1, rows = texture.height / height + 1;
    return texture.base + (tap.z * rows + tap.y / height) * columns + tap.x * bytes / width;
  };
  return {place(16, 2), place(32, 4)};
}

uint64_t TextureStore::add(const Texture& texture) {
  const std::lock_guard lock(mutex_);
  textures_[++last_] = std::make_shared<const Texture>(texture);
  return last_;
}

bool TextureStore::remove(uint64_t handle) {
  const std::lock_guard lock(mutex_);
  const bool was_there = textures_.erase(handle) != 0;
  if (was_there) ++removed_;
  return was_there;
}

uint64_t TextureStore::removed() const {
  const std::lock_guard lock(mutex_);
  return removed_;
}

std::shared_ptr<const Texture> TextureStore::find(uint64_t handle) const {
  const std::lock_guard lock(mutex_);
  const auto found = textures_.find(handle);
  return found == textures_.end() ? nullptr : found->second;
}

}  // namespace simulator
