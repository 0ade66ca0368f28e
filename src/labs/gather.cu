// Lab: what does it cost to read where an index says?
//
// out[i] = table[index[i]]. Lanes always read neighbouring indices and write neighbouring results. Only the contents of
// the index differ: all variants run one kernel. The order within a sector or a line does not matter; the number of
// sectors and lines that the 32 lanes touch does:
//
//      sequential   0 1 2 3 4 5 6 7 | 8 9 ...                   4 sectors, 1 line
//      in-sector    3 0 5 2 7 4 1 6 | 11 8 ...   shuffled       4 sectors, 1 line
//      in-line      7 20 1 14 27 8 21 ...        shuffled       4 sectors, 1 line
//      sectors      eight neighbours here, eight anywhere       4 sectors, 4 lines: as many bytes, from four places
//      random       one here, one anywhere                     32 sectors, 32 lines: 4 bytes used of each sector
//
// So data-dependent addresses are not slow as such. Two things help a random gather: sort the index, or fetch more for
// each index. A row of whole sectors for each index is like `sectors`; lab `embedding` does that.
#include "labs/lab.hpp"

namespace lab {
namespace {

constexpr int THREADS = 256;
constexpr int SECTOR = 8, LINE = 32;  // in floats

__global__ void __launch_bounds__(THREADS)
    gather_kernel(const int32_t* index, const float* table, float* out, int64_t elements) {
  const int64_t i = int64_t{blockIdx.x} * THREADS + threadIdx.x;
  if (i < elements) out[i] = table[index[i]];
}

// A function that returns element i's index into a table of `entries` numbers.
using Index = int64_t (*)(int64_t i, int64_t entries);

int64_t sequential(int64_t i, int64_t entries) { return i % entries; }

// Shuffles the elements within each group of GROUP neighbours; the groups stay in order. An odd factor permutes the
// numbers below a power of two. An incomplete last group stays unchanged.
template <int GROUP, int FACTOR, int SHIFT>
int64_t shuffled(int64_t i, int64_t entries) {
  static_assert((GROUP & (GROUP - 1)) == 0 && FACTOR % 2 == 1);
  const int64_t place = i % entries, within = place % GROUP, first = place - within;
  return first + GROUP <= entries ? first + (within * FACTOR + SHIFT) % GROUP : place;
}

// Returns a hash. The hashes of two numbers differ in about half of their bits. (The finalizer of MurmurHash3.)
uint64_t hash(int64_t number) {
  auto h = static_cast<uint64_t>(number);
  h = (h ^ h >> 33) * 0xff51afd7ed558ccd;
  h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53;
  return h ^ h >> 33;
}

// Returns groups of GROUP neighbours from random places, in order within each group.
template <int GROUP>
int64_t scattered(int64_t i, int64_t entries) {
  const int64_t groups = entries / GROUP;
  if (groups == 0) return i % entries;
  return static_cast<int64_t>(hash(i / GROUP) % static_cast<uint64_t>(groups)) * GROUP + i % GROUP;
}

template <Index INDEX>
Setup setup_gather(const Sizes& sizes) {
  const int64_t elements = sizes["elements"], entries = sizes["entries"];
  // If the table is shorter than the index, reading it once is enough.
  const int64_t read = elements < entries ? elements : entries;
  return {
      .arrays = {{.name = "index",
                  .words = elements,
                  .before =
                      [entries](int64_t i) {
                        return word(static_cast<int32_t>(INDEX(i, entries)));
                      },
                  .after = {}},
                 {.name = "table",
                  .words = entries,
                  .before = [](int64_t i) { return word(small_number(i)); },
                  .after = {}},
                 {.name = "out",
                  .words = elements,
                  .before = {},
                  .after = [entries](int64_t i) { return word(small_number(INDEX(i, entries))); }}},
      .useful_bytes = (2 * elements + read) * int64_t{sizeof(float)}};
}

cudaError_t launch_gather(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  const int64_t elements = sizes["elements"];
  gather_kernel<<<grid_of(ceil_div(elements, THREADS)), THREADS, 0, stream>>>(
      arrays.ints(0), arrays.floats(1), arrays.floats(2), elements);
  return cudaGetLastError();
}

// `sectors` and `lines`: the numbers for a warp's load from the table. For random places they are lower bounds
// (Relation::at_least), since two of 32 places may share a sector.
template <Index INDEX>
Variant gather_by(const char* name, const char* idea, Relation relation, double sectors,
                  double lines) {
  return {.name = name,
          .idea = idea,
          .claims = {{"load_sectors_per_request", "table", relation, sectors},
                     {"load_lines_per_request", "table", relation, lines},
                     {"load_sectors_per_request", "index", Relation::equal, 4},
                     {"store_sectors_per_request", "out", Relation::equal, 4}},
          .setup = setup_gather<INDEX>,
          .launch = launch_gather};
}

}  // namespace

extern const Lab gather{
    .name = "gather",
    .question = "what does it cost to read where an index says?",
    .answer =
        "The order of the indices within a sector or a line costs nothing; the number of sectors "
        "costs time. Random entries need one sector for each lane and use 4 of its 32 bytes. "
        "Whole sectors at random places need no more sectors than reading in order, but take "
        "longer: an H200 fetches 64 bytes if a sector stands alone (Nsight Compute: 792 MB read "
        "from memory for 537 MB of sectors).",
    .parameters = {{.name = "elements",
                    .meaning = "numbers to gather",
                    .counted = 1 << 14,
                    .timed = 1 << 26,
                    .most = int64_t{1} << 31,
                    .whole = 32},
                   {.name = "entries",
                    .meaning = "numbers in the table",
                    .counted = 1 << 20,
                    .timed = 1 << 27,
                    .most = 1 << 30,
                    .whole = 1 << 20}},
    .variants = {gather_by<sequential>("sequential", "in order", Relation::equal, 4, 1),
                 gather_by<shuffled<SECTOR, 5, 3>>("in-sector", "shuffled within each sector",
                                                   Relation::equal, 4, 1),
                 gather_by<shuffled<LINE, 13, 7>>("in-line", "shuffled within each line",
                                                  Relation::equal, 4, 1),
                 gather_by<scattered<SECTOR>>("sectors", "whole sectors from anywhere",
                                              Relation::at_least, 3.9, 3.9),
                 gather_by<scattered<1>>("random", "each entry from anywhere", Relation::at_least,
                                         31, 31)},
};

}  // namespace lab
