// Two small kernels with their counters, made by hand.
#pragma once

#include <string>
#include <vector>

#include "results/sources/source_view.hpp"

namespace made {

/// A kernel as `show` shows it.
struct Kernel {
  std::vector<results::Line> lines;
  std::vector<results::Source> sources;
};

inline results::Line access(const std::string& file, int line, const std::string& instruction,
                            const std::string& buffer, uint32_t bytes, uint64_t requests) {
  return {.file = file,
          .line = line,
          .instruction = instruction,
          .buffer = buffer,
          .bytes_per_lane = bytes,
          .requests = requests,
          .lanes = 32 * requests};
}

/// Returns a line of accesses to global memory, with `sectors` and used bytes for each request.
inline results::Line global(const std::string& file, int line, const std::string& instruction,
                            const std::string& buffer, uint32_t bytes, uint64_t requests,
                            uint64_t sectors, uint64_t used) {
  results::Line l = access(file, line, instruction, buffer, bytes, requests);
  l.sectors = sectors * requests;
  l.bytes_used = used * requests;
  return l;
}

/// Returns a line of accesses to shared memory, with wavefronts and conflicts among them.
inline results::Line shared(const std::string& file, int line, const std::string& instruction,
                            uint32_t bytes, uint64_t requests, uint64_t wavefronts,
                            uint64_t conflicts) {
  results::Line l = access(file, line, instruction, "shared", bytes, requests);
  l.wavefronts = wavefronts * requests;
  l.bank_conflicts = conflicts * requests;
  return l;
}

inline const std::string LEAPS = R"(// Copies, the lanes down a column.
#include "lib.hpp"

namespace {

__global__ void leaps(const float* in, float* out, int n) {
  const int row = threadIdx.x;  // the lanes leap
  out[row * n] = in[row * n] + in[0];  // a word in Umlaut: größer, and so long that it cannot stand beside a margin
}

}  // namespace

void launch() {
  leaps<<<1, 32>>>(in, out, 64);
}
)";

inline const std::string SLIDES = R"(// Copies, the lanes along a row.
#include "lib.hpp"

namespace {

__global__ void slides(const float* in, float* out, int n) {
  const int col = threadIdx.x;  // the lanes slide
  stage(in);

  out[col] = in[0];
}

}  // namespace
)";

inline const std::string LIBRARY =
    "inline void other() {}\n\nvoid stage(const float* in) {\n\tshared[at] = in[at];\n}\n";

inline Kernel leaps() {
  const std::string file = "/src/leaps.cu";
  return {.lines = {global(file, 8, "ld.global.f32", "in", 4, 524288, 1, 4),
                    global(file, 8, "ld.global.nc.f32", "in", 4, 524288, 32, 128),
                    global(file, 8, "st.global.f32", "out", 4, 2048, 32, 128)},
          .sources = {{file, "src/leaps.cu", LEAPS}}};
}

inline Kernel slides() {
  const std::string file = "/src/slides.cu", library = "/src/lib.hpp";
  return {.lines = {global(library, 4, "cp.async.ca.shared.global", "in", 16, 999, 16, 512),
                    shared(library, 4, "cp.async.ca.shared.global", 16, 999, 8, 4),
                    shared(library, 4, "st.shared.f32", 4, 12, 1, 0),
                    global(file, 10, "ld.global.f32", "in", 4, 1000, 1, 4),
                    global(file, 10, "st.global.f32", "out", 4, 1000, 5, 128)},
          .sources = {{file, "src/slides.cu", SLIDES}, {library, "src/lib.hpp", LIBRARY}}};
}

/// Returns all functions of the kernel that access memory.
inline results::SourcePart part_of(const std::string& title, const Kernel& kernel) {
  return {title, kernel.lines, kernel.sources,
          results::functions_with_accesses(kernel.lines, kernel.sources)};
}

}  // namespace made
