#include "distributed/cli/together.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>

#include "distributed/machine/machine.hpp"
#include "distributed/transport/processes.hpp"
#include "sgemm_ladder.h"

namespace distributed {

using runner::Error, runner::ExitCode;

bool is_true_everywhere(bool here) {
  int everywhere = 0;
  const int mine = here ? 1 : 0;
  MPI_Allreduce(&mine, &everywhere, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return everywhere != 0;
}

void agree(const std::vector<std::string>& arguments) {
  std::string mine = std::to_string(sgemm_ladder_version());
  for (const std::string& word : arguments) mine += '\n' + word;
  uint64_t length = mine.size();
  MPI_Bcast(&length, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  std::string first = mine;
  first.resize(length);
  MPI_Bcast(first.data(), static_cast<int>(length), MPI_CHAR, 0, MPI_COMM_WORLD);
  if (!is_true_everywhere(mine == first))
    throw Error(ExitCode::usage,
                "the processes have different arguments or versions; start the same program with "
                "the same arguments on all");
}

void all_or_none(const std::function<void()>& step) {
  std::optional<Error> refusal;
  try {
    step();
  } catch (const Error& error) {
    refusal = error;
  }
  const int mine = refusal ? static_cast<int>(refusal->code()) : 0;
  int gravest = 0;
  MPI_Allreduce(&mine, &gravest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (gravest == 0) return;
  throw refusal.value_or(Error(static_cast<ExitCode>(gravest), "another process refused"));
}

int own_gpu() {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  const int place = rank_in(machine), processes = size_of(machine);
  MPI_Comm_free(&machine);
  const int gpus = gpus_for(processes);
  if (!is_true_everywhere(processes <= gpus))
    throw Error(
        ExitCode::usage,
        fmt::format("a machine has {} processes and {} GPUs; each process needs a GPU of its own",
                    processes, gpus));
  return place;
}

ExitCode run_together(const char* program, const std::function<ExitCode()>& work) {
  const int rank = rank_in(MPI_COMM_WORLD);
  try {
    return work();
  } catch (const Error& error) {
    if (rank == 0) fmt::print(stderr, "{}: {}\n", program, error.what());
    return error.code();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: rank {}: {}\n", program, rank, error.what());
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(ExitCode::failure));
    return ExitCode::failure;
  }
}

}  // namespace distributed
