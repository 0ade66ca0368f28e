#include "simulator/execute/scalar/texture_fetch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "simulator/execute/state/warp.hpp"
#include "simulator/execute/state/worker.hpp"
#include "simulator/hazards/block_hazards.hpp"
#include "simulator/memory/texture.hpp"

namespace simulator {
namespace {

// True if the instruction reads textures of this shape.
bool fits(const TextureFetch& fetch, Texture::Shape shape) {
  switch (shape) {
    case Texture::Shape::linear:
      return fetch.dimensions == 1 && fetch.has_whole_coordinates && !fetch.is_layered;
    case Texture::Shape::flat1:
    case Texture::Shape::layered1:
      return fetch.dimensions == 1 && fetch.is_layered == (shape == Texture::Shape::layered1);
    case Texture::Shape::flat2:
    case Texture::Shape::layered2:
      return fetch.dimensions == 2 && fetch.is_layered == (shape == Texture::Shape::layered2);
    case Texture::Shape::flat3:
      return fetch.dimensions == 3 && !fetch.is_cube;
    case Texture::Shape::cube:
      return fetch.is_cube;
  }
  return false;
}

// The reads of one tap by the lanes of a warp: those that have it with a weight.
struct TapReads {
  uint32_t lanes = 0;
  std::array<uint64_t, WARP> offsets{};  // of the texels, from the texture's first
};

// The texels that a request fetches from one texture.
struct Fetched {
  std::shared_ptr<const Texture> texture;
  uint64_t handle = 0;
  const std::byte* host = nullptr;                     // the first texel
  std::vector<uint64_t> texels{}, sectors{}, lines{};  // one for each tap
  std::vector<TapReads> reads{};                       // for the search for hazards
  uint64_t lanes = 0;
};

uint64_t distinct(std::vector<uint64_t>& values) {
  std::ranges::sort(values);
  return static_cast<uint64_t>(std::ranges::unique(values).begin() - values.begin());
}

// One request: the lanes of a warp that execute a fetch together.
class Request {
 public:
  Request(Warp& w, const Op& op)
      : w_(w),
        op_(op),
        worker_(*w.block->worker),
        fetch_(worker_.program.sources[op.instruction].fetch) {}

  void run() {
    for_each_active(w_, [&](size_t lane) { run(lane); });
    for (Fetched& fetched : fetched_) {
      const uint64_t texel = fetched.texture->format.bytes();
      worker_.fetch_texels(op_.site(Site::global), fetched.texture->base,
                           {.requests = 1,
                            .lanes = fetched.lanes,
                            .bytes_asked = fetched.texels.size() * texel,
                            .bytes_used = distinct(fetched.texels) * texel,
                            .sectors = distinct(fetched.sectors),
                            .lines = distinct(fetched.lines)});
      for (const TapReads& tap : fetched.reads)
        w_.block->hazards->texels_are_read(op_.instruction, w_.first_thread / WARP, tap.lanes,
                                           fetched.texture->base, tap.offsets,
                                           static_cast<uint32_t>(texel));
    }
  }

 private:
  void run(size_t lane) {
    Fetched& fetched = fetched_by(lane);
    const Texture& texture = *fetched.texture;
    const TexturePlace place = place_of(lane);
    ++fetched.lanes;
    if (fetch_.gathers) return gather(lane, texture, find_gathered(texture, place), fetched);
    const Taps taps = find_taps(texture, place);
    const bool gives_numbers = fetch_.result == TextureFetch::Result::f32;
    if (gives_numbers) {
      std::array<double, 4> sum{};
      for (size_t i = 0; i < taps.count; ++i) {
        const std::array<double, 4> values = numbers_at(lane, texture, taps, i, fetched);
        // An infinite texel without a share has no part in the sum.
        if (taps.all[i].weight == 0) continue;
        for (size_t channel = 0; channel < 4; ++channel)
          sum[channel] += taps.all[i].weight * values[channel];
      }
      for (size_t channel = 0; channel < 4; ++channel)
        put(lane, channel, std::bit_cast<uint32_t>(static_cast<float>(sum[channel])));
    } else {
      const std::array<uint32_t, 4> bits = bits_at(lane, texture, taps, 0, fetched);
      for (size_t channel = 0; channel < 4; ++channel) put(lane, channel, bits[channel]);
    }
  }

  void gather(size_t lane, const Texture& texture, const Taps& taps, Fetched& fetched) {
    for (size_t i = 0; i < taps.count; ++i) {
      const size_t channel = fetch_.component;
      put(lane, i,
          fetch_.result == TextureFetch::Result::f32
              ? std::bit_cast<uint32_t>(
                    static_cast<float>(numbers_at(lane, texture, taps, i, fetched)[channel]))
              : bits_at(lane, texture, taps, i, fetched)[channel]);
    }
  }

  void put(size_t lane, size_t channel, uint32_t bits) {
    result_of<uint32_t>(w_, op_.lists->d[channel])[lane] = bits;
  }

  // Returns the texture that a lane names, of which few are different. Looks it up once for a request.
  Fetched& fetched_by(size_t lane) {
    const uint64_t handle = lanes_of<uint64_t>(w_, op_.a)[lane];
    for (Fetched& known : fetched_) {
      if (known.handle == handle) return known;
    }
    Fetched fetched{.texture = worker_.device().textures.find(handle), .handle = handle};
    if (!fetched.texture) fail(lane, TextureMistake::no_object);
    const Texture& texture = *fetched.texture;
    if (!fits(fetch_, texture.shape)) fail(lane, TextureMistake::other_shape);
    const uint64_t end = texture.address(texture.width - 1, texture.height - 1, texture.depth - 1) +
                         texture.format.bytes();
    fetched.host = worker_.look_at(static_cast<int>(lane), texture.base, end - texture.base);
    return fetched_.emplace_back(std::move(fetched));
  }

  [[noreturn]] void fail(size_t lane, TextureMistake mistake) const {
    throw WarpFault{{.kind = FaultKind::bad_texture, .texture = mistake}, static_cast<int>(lane)};
  }

  TexturePlace place_of(size_t lane) const {
    const std::vector<Slot>& slots = op_.lists->c;
    TexturePlace place;
    size_t next = 0;
    if (fetch_.is_layered) place.layer = lanes_of<int32_t>(w_, slots[next++])[lane];
    for (size_t i = 0; i < fetch_.dimensions; ++i, ++next) {
      place.at[i] = fetch_.has_whole_coordinates
                        ? static_cast<double>(lanes_of<int32_t>(w_, slots[next])[lane])
                        : static_cast<double>(lanes_of<float>(w_, slots[next])[lane]);
    }
    return place;
  }

  // Returns the bytes of a lane's texel on the host. Counts them. `number`: of the tap.
  const std::byte* touch(size_t lane, const Texture& texture, const Taps& taps, size_t number,
                         Fetched& fetched) {
    const Tap& tap = taps.all[number];
    const uint64_t offset = texture.address(tap.x, tap.y, tap.z) - texture.base;
    const TexelPlaces places = places_of(texture, tap);
    fetched.texels.push_back(offset);
    fetched.sectors.push_back(places.sector);
    fetched.lines.push_back(places.line);
    if (w_.block->hazards != nullptr && tap.weight != 0) {
      if (fetched.reads.size() <= number) fetched.reads.resize(number + 1);
      fetched.reads[number].lanes |= 1u << lane;
      fetched.reads[number].offsets[lane] = offset;
    }
    return fetched.host + offset;
  }

  std::array<double, 4> numbers_at(size_t lane, const Texture& texture, const Taps& taps,
                                   size_t number, Fetched& fetched) {
    if (!taps.all[number].is_border)
      return texel_values(texture, touch(lane, texture, taps, number, fetched));
    const auto& [r, g, b, a] = texture.border;
    return {r, g, b, a};
  }

  std::array<uint32_t, 4> bits_at(size_t lane, const Texture& texture, const Taps& taps,
                                  size_t number, Fetched& fetched) {
    if (!taps.all[number].is_border)
      return texel_bits(texture, touch(lane, texture, taps, number, fetched));
    std::array<uint32_t, 4> bits{};
    for (size_t i = 0; i < 4; ++i)
      bits[i] = static_cast<uint32_t>(static_cast<int64_t>(texture.border[i]));
    return bits;
  }

  Warp& w_;
  const Op& op_;
  Worker& worker_;
  const TextureFetch& fetch_;
  std::vector<Fetched> fetched_;
};

}  // namespace

void fetch_texture(Warp& w, const Op& op) { Request(w, op).run(); }

}  // namespace simulator
