#include "test/labs/faulty_labs.hpp"

namespace faulty {
namespace {

using lab::Arrays;
using lab::Relation;
using lab::Setup;
using lab::Sizes;
using lab::Variant;

enum class Fault { none, one_word, never_written, spoils_in, one_behind };

constexpr int THREADS = 128;

template <Fault FAULT, bool BACKWARDS = false>
__global__ void __launch_bounds__(THREADS) copy(float* in, float* out, int64_t elements) {
  const int64_t thread = int64_t{blockIdx.x} * THREADS + threadIdx.x;
  if (thread >= elements) return;
  const int64_t i = BACKWARDS ? elements - 1 - thread : thread;
  if (FAULT == Fault::never_written && i == 5) return;
  float value = in[i];
  if (FAULT == Fault::one_word && i == 37) value += 1;
  if (FAULT == Fault::spoils_in && i == 3) in[i] = 0.5f;
  out[i] = value;
  if (FAULT == Fault::one_behind && i == elements - 1) out[i + 1] = value;
}

Setup setup(const Sizes& sizes) {
  const int64_t elements = sizes["elements"];
  const auto numbers = [](int64_t i) { return lab::word(lab::small_number(i)); };
  return {.arrays = {{.name = "in", .words = elements, .before = numbers, .after = {}},
                     {.name = "out", .words = elements, .before = {}, .after = numbers}},
          .useful_bytes = 2 * elements * int64_t{sizeof(float)}};
}

Setup huge_setup(const Sizes&) {
  return {.arrays = {{.name = "in", .words = int64_t{1} << 50, .before = {}, .after = {}}},
          .useful_bytes = int64_t{1} << 52};
}

template <Fault FAULT, bool BACKWARDS = false>
cudaError_t launch(const Sizes& sizes, const Arrays& arrays, cudaStream_t stream) {
  const int64_t elements = sizes["elements"];
  copy<FAULT, BACKWARDS><<<lab::grid_of(lab::ceil_div(elements, THREADS)), THREADS, 0, stream>>>(
      arrays.floats(0), arrays.floats(1), elements);
  return cudaGetLastError();
}

template <Fault FAULT, bool BACKWARDS = false>
Variant variant(const char* name, const char* idea) {
  return {.name = name,
          .idea = idea,
          .claims = {{"load_sectors_per_request", "in", Relation::equal, 4}},
          .setup = setup,
          .launch = launch<FAULT, BACKWARDS>};
}

Variant plain() { return variant<Fault::none>("plain", "neighbours"); }

Variant claims_2_sectors() {
  Variant broken = plain();
  broken.name = "claims_2_sectors";
  broken.claims = {{"load_sectors_per_request", "in", Relation::equal, 2}};
  return broken;
}

Variant multiple_of_4() {
  Variant refusing = plain();
  refusing.name = "multiple_of_4";
  refusing.refuses = [](const Sizes& sizes) {
    return sizes["elements"] % 4 == 0 ? nullptr : "four elements are copied at a time";
  };
  return refusing;
}

Variant huge() {
  Variant variant = plain();
  variant.setup = huge_setup;
  return variant;
}

lab::Lab lab_of(const char* name, std::vector<Variant> variants) {
  return {.name = name,
          .question = "what does a copy cost?",
          .answer = "A copy costs what it must.",
          .parameters = {{.name = "elements",
                          .meaning = "floats to copy",
                          .counted = 1024,
                          .timed = 1024,
                          .most = 4096,
                          .whole = 32}},
          .variants = std::move(variants)};
}

lab::Lab riddle() {
  lab::Lab riddle = lab_of("riddle_lab", {plain()});
  riddle.is_riddle = true;
  return riddle;
}

}  // namespace

extern const lab::Lab sound_lab =
    lab_of("sound_lab", {plain(), variant<Fault::none, true>("backwards", "the last lane first")});
extern const lab::Lab riddle_lab = riddle();
extern const lab::Lab wrong_lab =
    lab_of("wrong_lab", {variant<Fault::one_word>("one_word", "word 37 is wrong"),
                         variant<Fault::never_written>("never_written", "word 5 is left out"),
                         variant<Fault::spoils_in>("spoils_in", "writes to what it reads")});
extern const lab::Lab breaks_promise_lab = lab_of("breaks_promise_lab", {claims_2_sectors()});
extern const lab::Lab refusing_lab = lab_of("refusing_lab", {plain(), multiple_of_4()});
extern const lab::Lab beside_lab =
    lab_of("beside_lab", {variant<Fault::one_behind>("one_behind", "one word too many")});
extern const lab::Lab huge_lab = lab_of("huge_lab", {huge()});

}  // namespace faulty
