#include "runner/trial/judged_code.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <typeinfo>
#include <utility>

#include "text/foreign.hpp"

namespace runner {
namespace {

// A rung's functions are plain pointers, and so are the guards. So each slot of this list has its own guards.
constexpr size_t SLOTS = 16;

struct Slot {
  const ladder::Rung* judged = nullptr;
  ladder::Rung guarded{};
  std::string path{};
};
std::array<Slot, SLOTS> slots;
std::optional<ladder::Sgemm> last;

std::string type_of_the_exception() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "an exception";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : type->name();
}

// Turns the exception being handled into Threw. Call it in a `catch` block.
[[noreturn]] void throw_as_theirs() {
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    constexpr size_t MOST = 500;
    throw Threw(fmt::format("{}: {}", type_of_the_exception(),
                            text::plain_lines(std::string_view(error.what()).substr(0, MOST))));
  } catch (...) {
    throw Threw(type_of_the_exception());
  }
}

template <size_t SLOT>
cudaError_t launch(const ladder::Sgemm& problem, cudaStream_t stream) {
  last = problem;
  try {
    return slots[SLOT].judged->launch(problem, stream);
  } catch (...) {
    throw_as_theirs();
  }
}

template <size_t SLOT>
cudaError_t launch_batch(const ladder::Call& call, cudaStream_t stream) {
  last = call.product;
  try {
    return slots[SLOT].judged->launch_batch(call, stream);
  } catch (...) {
    throw_as_theirs();
  }
}

template <size_t SLOT>
const char* path(const ladder::Sgemm& problem) {
  constexpr size_t MOST = 40;
  const char* said = nullptr;
  try {
    said = slots[SLOT].judged->path(problem);
  } catch (...) {
    throw_as_theirs();
  }
  if (said == nullptr) return nullptr;
  std::string& kept = slots[SLOT].path;
  kept = text::plain_lines({said, strnlen(said, MOST)});
  return kept.c_str();
}

struct Guards {
  cudaError_t (*launch)(const ladder::Sgemm&, cudaStream_t);
  cudaError_t (*launch_batch)(const ladder::Call&, cudaStream_t);
  const char* (*path)(const ladder::Sgemm&);
};
template <size_t... SLOT>
constexpr std::array<Guards, SLOTS> guards_of(std::index_sequence<SLOT...>) {
  return {Guards{launch<SLOT>, launch_batch<SLOT>, path<SLOT>}...};
}
constexpr std::array<Guards, SLOTS> GUARDS = guards_of(std::make_index_sequence<SLOTS>());

}  // namespace

const ladder::Rung& guarded(const ladder::Rung& rung) {
  for (size_t i = 0; i < SLOTS; ++i) {
    Slot& slot = slots.at(i);
    if (slot.judged != nullptr) continue;
    slot.judged = &rung;
    slot.guarded = rung;
    slot.guarded.launch = GUARDS.at(i).launch;
    if (rung.launch_batch != nullptr) slot.guarded.launch_batch = GUARDS.at(i).launch_batch;
    if (rung.path != nullptr) slot.guarded.path = GUARDS.at(i).path;
    return slot.guarded;
  }
  throw Error(ExitCode::usage,
              fmt::format("more than {} kernels of your own are more than one run takes", SLOTS));
}

std::string last_problem() {
  if (!last) return "";
  return fmt::format("{}x{}x{}, lda {}, ldb {}, ldc {}, alpha {}, beta {}", last->M, last->N,
                     last->K, last->lda, last->ldb, last->ldc, last->alpha, last->beta);
}

}  // namespace runner
