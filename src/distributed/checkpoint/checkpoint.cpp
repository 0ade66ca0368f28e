#include "distributed/checkpoint/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "app/error.hpp"

namespace distributed {
namespace {

namespace fs = std::filesystem;
using runner::Error, runner::ExitCode;

constexpr int64_t FLOAT_BYTES = sizeof(float);

// A sum of the elements' bits, and one of the same times the elements' places in the tile: together they tell a changed tile.
using Sums = std::array<uint64_t, 2>;

std::string reason() { return std::strerror(errno); }

// A file that is closed at the end.
class File {
 public:
  File(const std::string& name, int flags) : name_(name), number_(open(name.c_str(), flags, 0644)) {
    if (number_ < 0) fail("opened");
  }
  ~File() { close(number_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void write(const char* data, int64_t bytes, int64_t at) const {
    while (bytes > 0) {
      const ssize_t done = pwrite(number_, data, static_cast<size_t>(bytes), at);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) fail("written");
      data += done;
      bytes -= done;
      at += done;
    }
  }
  // Returns false at the end of the file.
  bool read(char* data, int64_t bytes, int64_t at) const {
    while (bytes > 0) {
      const ssize_t done = pread(number_, data, static_cast<size_t>(bytes), at);
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) fail("read");
      if (done == 0) return false;
      data += done;
      bytes -= done;
      at += done;
    }
    return true;
  }
  void flush() const {
    if (fsync(number_) != 0) fail("written");
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw std::runtime_error(fmt::format("'{}' cannot be {}: {}", name_, what, reason()));
  }

  const std::string name_;
  const int number_;
};

// Writes a small file aside and renames it.
void write_file(const std::string& name, const std::string& text) {
  const std::string aside = name + ".part";
  {
    const File file(aside, O_WRONLY | O_CREAT | O_TRUNC);
    file.write(text.data(), static_cast<int64_t>(text.size()), 0);
    file.flush();
  }
  fs::rename(aside, name);
}

std::string read_file(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string text_of(const Identity& identity) {
  std::string text;
  for (const auto& [key, value] : identity) text.append(key).append(" ").append(value).append("\n");
  return text;
}

std::string text_of(const Sums& sums) { return fmt::format("{:016x} {:016x}\n", sums[0], sums[1]); }

// Returns the refusal of a folder with another product.
std::string refusal_of(const std::string& folder, const std::string& there,
                       const Identity& identity) {
  std::istringstream lines(there);
  for (const auto& [key, value] : identity) {
    std::string line;
    std::getline(lines, line);
    const std::string before = key + " ";
    const std::string other = line.starts_with(before) ? line.substr(before.size()) : "unknown";
    if (other == value) continue;
    return fmt::format(
        "--checkpoint {}: it is of another product, whose {} is {}, not {}; take another folder, "
        "or "
        "remove it",
        folder, key, other, value);
  }
  return fmt::format("--checkpoint {}: it is of a newer version", folder);
}

// Calls visit(host, count, place) for each run of elements that lie one behind the other in the tile: `count` floats, from `place` on. The
// floats come from this process's part of C, or go there if `writes`.
void for_each_run(const Product& part, const Grid& grid, int rank, bool writes,
                  const std::function<void(float*, int64_t, int64_t)>& visit) {
  constexpr int64_t MOST_FLOATS = int64_t{1} << 24;  // at once on the host
  const int64_t rows = part.c.rows_on(grid, rank), cols = part.c.cols_on(grid, rank);
  if (rows == 0) return;
  const std::vector<Segment> segments =
      segments_within(part.c.rows, grid.row_of(rank), 0, part.c.rows.size);
  const int64_t step = std::clamp<int64_t>(MOST_FLOATS / rows, 1, std::max<int64_t>(1, cols));
  std::vector<float> host(static_cast<size_t>(rows * std::min(step, cols)));
  const auto bytes = [](int64_t floats) { return static_cast<size_t>(floats * FLOAT_BYTES); };
  for (int64_t begin = 0; begin < cols; begin += step) {
    const int64_t count = std::min(step, cols - begin);
    float* const there = part.c_data + begin * part.ldc;
    if (!writes)
      check(cudaMemcpy2D(host.data(), bytes(rows), there, bytes(part.ldc), bytes(rows),
                         static_cast<size_t>(count), cudaMemcpyDefault));
    for (int64_t col = 0; col < count; ++col) {
      const int64_t global = part.c.cols.element_at(begin + col, grid.col_of(rank));
      for (const Segment& s : segments)
        visit(host.data() + col * rows + s.from, s.length, global * part.m + s.to);
    }
    if (writes)
      check(cudaMemcpy2D(there, bytes(part.ldc), host.data(), bytes(rows), bytes(rows),
                         static_cast<size_t>(count), cudaMemcpyDefault));
  }
}

void add(Sums& sums, const float* data, int64_t count, int64_t place) {
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = std::bit_cast<uint32_t>(data[i]);
    sums[0] += bits;
    sums[1] += bits * static_cast<uint64_t>(place + i + 1);
  }
}

Sums over_all(Sums mine, MPI_Comm world) {
  MPI_Allreduce(MPI_IN_PLACE, mine.data(), 2, MPI_UINT64_T, MPI_SUM, world);
  return mine;
}

// Runs a step of the process 0. Returns its refusal, on all processes.
std::string refusal_of_first(int rank, MPI_Comm world, const std::function<std::string()>& step) {
  std::array<char, 1024> text{};
  if (rank == 0) {
    std::string refusal;
    try {
      refusal = step();
    } catch (const std::exception& error) {
      refusal = error.what();
    }
    std::copy_n(refusal.begin(), std::min(refusal.size(), text.size() - 1), text.begin());
  }
  MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, world);
  return text.data();
}

}  // namespace

Checkpoint::Checkpoint(const std::string& folder, const Identity& identity, MPI_Comm world)
    : folder_(folder), world_(world) {
  MPI_Comm_rank(world, &rank_);
  const std::string refusal = refusal_of_first(rank_, world, [&]() -> std::string {
    fs::create_directories(folder);
    const std::string name = folder + "/product", wanted = text_of(identity);
    if (!fs::exists(name)) {
      write_file(name, wanted);
      return "";
    }
    const std::string there = read_file(name);
    return there == wanted ? "" : refusal_of(folder, there, identity);
  });
  if (!refusal.empty()) throw Error(ExitCode::usage, refusal);
}

std::string Checkpoint::path(size_t tile, const char* suffix) const {
  return fmt::format("{}/tile-{}{}", folder_, tile, suffix);
}

bool Checkpoint::has(size_t tile) const {
  int is_there =
      rank_ == 0 && fs::exists(path(tile, ".sums")) && fs::exists(path(tile, "")) ? 1 : 0;
  MPI_Bcast(&is_there, 1, MPI_INT, 0, world_);
  return is_there != 0;
}

void Checkpoint::save(size_t tile, const Product& part, const Grid& grid) const {
  const std::string aside = path(tile, ".part");
  if (rank_ == 0) {
    fs::remove(path(tile, ".sums"));
    const File empty(aside, O_WRONLY | O_CREAT | O_TRUNC);
  }
  MPI_Barrier(world_);
  Sums sums{};
  {
    const File file(aside, O_WRONLY);
    for_each_run(part, grid, rank_, false, [&](const float* data, int64_t count, int64_t place) {
      add(sums, data, count, place);
      file.write(reinterpret_cast<const char*>(data), count * FLOAT_BYTES, place * FLOAT_BYTES);
    });
    file.flush();
  }
  const Sums all = over_all(sums, world_);  // and all have written
  if (rank_ != 0) return;
  fs::rename(aside, path(tile, ""));
  write_file(path(tile, ".sums"), text_of(all));
}

bool Checkpoint::load(size_t tile, const Product& part, const Grid& grid) const {
  Sums sums{};
  int is_whole = 1;
  {
    const File file(path(tile, ""), O_RDONLY);
    for_each_run(part, grid, rank_, true, [&](float* data, int64_t count, int64_t place) {
      if (!file.read(reinterpret_cast<char*>(data), count * FLOAT_BYTES, place * FLOAT_BYTES))
        is_whole = 0;
      add(sums, data, count, place);
    });
  }
  const Sums all = over_all(sums, world_);
  MPI_Allreduce(MPI_IN_PLACE, &is_whole, 1, MPI_INT, MPI_LAND, world_);
  int is_right =
      rank_ == 0 && is_whole != 0 && read_file(path(tile, ".sums")) == text_of(all) ? 1 : 0;
  MPI_Bcast(&is_right, 1, MPI_INT, 0, world_);
  if (is_right == 0 && rank_ == 0) fs::remove(path(tile, ".sums"));
  return is_right != 0;
}

}  // namespace distributed
