#include "test/kernels/every_tile.hpp"

#include <array>
#include <utility>

#include "kernels/stream_k_kernel.cuh"
#include "kernels/tile_table.hpp"
#include "kernels/tuned_kernel.cuh"

namespace every_tile {
namespace {

constexpr int MULTIPROCESSORS = 4;

template <size_t CHOICE>
struct Tuned {
  static constexpr ladder::Tile tile = ladder::tuned_table[CHOICE].tile;
};
template <size_t CHOICE>
struct StreamK {
  static constexpr ladder::Tile tile = ladder::stream_k_table[CHOICE].tile;
};

template <size_t... I>
cudaError_t launch_tuned(size_t choice, const ladder::Sgemm& p, bool vector,
                         std::index_sequence<I...>) {
  static constexpr std::array with_vectors{ladder::launch_tuned_tile<Tuned<I>, true>...};
  static constexpr std::array without{ladder::launch_tuned_tile<Tuned<I>, false>...};
  return (vector ? with_vectors : without)[choice](p, MULTIPROCESSORS, nullptr);
}

template <size_t... I>
cudaError_t launch_stream_k(const ladder::SplitPlan& plan, const ladder::Sgemm& p, bool vector,
                            std::index_sequence<I...>) {
  static constexpr std::array with_vectors{ladder::launch_plan<StreamK<I>, true>...};
  static constexpr std::array without{ladder::launch_plan<StreamK<I>, false>...};
  return (vector ? with_vectors : without)[plan.choice](p, plan, MULTIPROCESSORS, nullptr);
}

}  // namespace

cudaError_t launch_tuned(size_t choice, const ladder::Sgemm& problem, bool vector) {
  return launch_tuned(choice, problem, vector,
                      std::make_index_sequence<std::size(ladder::tuned_table)>{});
}

cudaError_t launch_stream_k(const ladder::SplitPlan& plan, const ladder::Sgemm& problem,
                            bool vector) {
  return launch_stream_k(plan, problem, vector,
                         std::make_index_sequence<std::size(ladder::stream_k_table)>{});
}

}  // namespace every_tile
