#include "simulator/execute/level/cluster_runner.hpp"

#include <algorithm>
#include <numeric>
#include <random>

BEGIN_LEVEL
namespace {

// Rounds of the blocks before other clusters get a turn.
constexpr int ROUNDS_OF_A_CLUSTER = 64;

// Returns the place of the member with this number; x moves first.
Dim3 place_of(uint64_t number, const Dim3& size) {
  return {static_cast<uint32_t>(number % size.x), static_cast<uint32_t>(number / size.x % size.y),
          static_cast<uint32_t>(number / size.x / size.y)};
}

}  // namespace

ClusterRunner::ClusterRunner(const Program& program, Worker& worker, const LaunchShape& shape,
                             const std::byte* parameters)
    : clusters_{shape.grid.x / shape.cluster.x, shape.grid.y / shape.cluster.y,
                shape.grid.z / shape.cluster.z},
      grid_(shape.grid),
      worker_(worker) {
  cluster_.shape = shape.cluster;
  cluster_.is_explicit = true;
  std::vector<BlockRunner*> all;
  for (uint64_t rank = 0; rank < shape.cluster.count(); ++rank) {
    blocks_.push_back(std::make_unique<BlockRunner>(program, worker, shape, parameters));
    all.push_back(blocks_.back().get());
    cluster_.blocks.push_back(&all.back()->context());
  }
  for (uint32_t rank = 0; rank < all.size(); ++rank) all[rank]->join(cluster_, rank, all);
  order_.resize(blocks_.size());
}

void ClusterRunner::start(uint64_t linear_number) {
  number = linear_number;
  cluster_.number = place_of(number, clusters_);
  cluster_.live = cluster_.arrivals = 0;
  has_ended_.assign(blocks_.size(), false);
  std::vector<uint64_t> numbers;
  for (uint64_t rank = 0; rank < blocks_.size(); ++rank) {
    const Dim3 inside = place_of(rank, cluster_.shape);
    const uint64_t x = uint64_t{cluster_.number.x} * cluster_.shape.x + inside.x;
    const uint64_t y = uint64_t{cluster_.number.y} * cluster_.shape.y + inside.y;
    const uint64_t z = uint64_t{cluster_.number.z} * cluster_.shape.z + inside.z;
    numbers.push_back(x + grid_.x * (y + grid_.y * z));
  }
  for (size_t rank = 0; rank < blocks_.size(); ++rank) blocks_[rank]->start(numbers[rank], numbers);
  std::iota(order_.begin(), order_.end(), size_t{0});
  if (worker_.schedule == 0) return;
  // The same order for the same cluster and seed, on any worker.
  std::mt19937_64 random(worker_.schedule * 0x9e3779b97f4a7c15u + ~number);
  for (size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random() % i]);
}

// A block that has ended keeps its shared memory until the cluster has ended.
Progress ClusterRunner::run() {
  for (int round = 0; round < ROUNDS_OF_A_CLUSTER; ++round) {
    bool any_moved = false;
    for (const size_t rank : order_) {
      if (has_ended_[rank]) continue;
      has_ended_[rank] = blocks_[rank]->run() == Progress::finished;
      any_moved |= blocks_[rank]->moved();
    }
    if (std::ranges::all_of(has_ended_, [](bool ended) { return ended; }))
      return Progress::finished;
    if (!any_moved) return Progress::waiting;
  }
  return Progress::going_on;
}

bool ClusterRunner::stuck() const {
  for (size_t rank = 0; rank < blocks_.size(); ++rank) {
    if (!has_ended_[rank] && !blocks_[rank]->stuck()) return false;
  }
  return true;
}

// Describes a wait for memory or an mbarrier, if there is one: threads that wait at a barrier may wait for that thread.
Fault ClusterRunner::describe_wait(FaultKind kind) const {
  const BlockRunner* waiting = nullptr;
  for (size_t rank = blocks_.size(); rank-- > 0;) {
    if (has_ended_[rank]) continue;
    if (waiting == nullptr || waiting->waits_for_cluster() || !blocks_[rank]->waits_for_cluster())
      waiting = blocks_[rank].get();
  }
  return waiting->describe_wait(kind);
}

END_LEVEL
