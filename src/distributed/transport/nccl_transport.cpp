#include "distributed/transport/nccl_transport.hpp"

#include <chrono>
#include <thread>

#include "distributed/gpu/cuda.hpp"
#include "distributed/transport/nccl.hpp"
#include "distributed/transport/planted.hpp"

namespace distributed {
NcclTransport::NcclTransport(MPI_Comm world, const Grid& grid, std::chrono::seconds patience)
    : mpi_(world), grid_(grid), patience_(patience) {
  MPI_Comm_rank(world, &rank_);
  const ncclUniqueId id = common_id(world);
  // No call waits for other processes: one of them may be silent.
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  try {
    check_nccl(ncclCommInitRankConfig(&world_, grid.size(), id, rank_, &config));
    wait_until_ready();
    check_nccl(ncclCommSplit(world_, grid.row_of(rank_), grid.col_of(rank_), &row_, &config));
    wait_until_ready();
    check_nccl(ncclCommSplit(world_, grid.col_of(rank_), grid.row_of(rank_), &col_, &config));
    wait_until_ready();
  } catch (...) {
    NcclTransport::abort();
    throw;
  }
}

NcclTransport::~NcclTransport() {
  for (const ncclComm_t comm : {row_, col_, world_})
    if (comm != nullptr) static_cast<void>(ncclCommDestroy(comm));
}

void NcclTransport::abort() {
  for (ncclComm_t* comm : {&row_, &col_, &world_}) {
    if (*comm != nullptr) static_cast<void>(ncclCommAbort(*comm));
    *comm = nullptr;
  }
}

void NcclTransport::deliver(std::span<const Message> messages, cudaStream_t stream) {
  fail_if_planted();
  check_nccl(ncclGroupStart());
  for (const Message& message : messages) deliver(message, stream);
  check_nccl(ncclGroupEnd());
  wait_until_ready();  // the first messages make connections
}

void NcclTransport::deliver(const Message& m, cudaStream_t stream) const {
  const auto floats = static_cast<size_t>(m.floats);
  const bool is_receiver = has(grid_, rank_, m.line);
  if (has(grid_, m.sender, m.line)) {
    if (!is_receiver) return;
    const int root = m.line.is_row ? grid_.col_of(m.sender) : grid_.row_of(m.sender);
    check_nccl(ncclBroadcast(m.data, m.data, floats, ncclFloat, root, m.line.is_row ? row_ : col_,
                             stream));
  } else if (is_receiver) {
    check_nccl(ncclRecv(m.data, floats, ncclFloat, m.sender, world_, stream));
  } else if (m.sender == rank_) {
    for (const int receiver : ranks_of(grid_, m.line))
      check_nccl(ncclSend(m.data, floats, ncclFloat, receiver, world_, stream));
  }
}

void NcclTransport::wait(const Event& event) {
  wait_while([&] { return is_busy() || !event.has_passed(); });
}

void NcclTransport::wait_until_ready() {
  wait_while([&] { return is_busy(); });
}

void NcclTransport::wait_while(const std::function<bool()>& is_waiting) {
  constexpr std::chrono::microseconds PAUSE(20);
  for (patience_.begin(); is_waiting(); std::this_thread::sleep_for(PAUSE))
    if (patience_.is_over()) throw_with_silent_ranks(mpi_, patience_.limit());
}

bool NcclTransport::is_busy() const {
  bool is_one_busy = false;
  for (const ncclComm_t comm : {row_, col_, world_}) {
    if (comm == nullptr) continue;
    ncclResult_t state = ncclSuccess;
    check_nccl(ncclCommGetAsyncError(comm, &state));
    check_nccl(state);
    is_one_busy = is_one_busy || state == ncclInProgress;
  }
  return is_one_busy;
}

}  // namespace distributed
