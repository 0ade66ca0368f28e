#include "results/values/data.hpp"

#include <algorithm>

namespace results {
namespace {

struct Named {
  const char* name;
  const char* meaning;
};

// In the order of the enumeration.
constexpr std::array<Named, EVERY_DATA.size()> NAMES{{
    {"uniform", "uniform in [-1, 1)"},
    {"normal", "normally distributed, of mean 0 and deviation 1"},
    {"lognormal", "of random sign, their magnitudes lognormal over 20 binades"},
    {"scaled", "uniform; rows of A and columns of B times powers of two from 2^-60 to 2^60"},
    {"inner_scaled", "uniform; columns of A times such powers, rows of B divided by the same"},
    {"cancelling", "A = [X, X] and B = [Y; -Y], plus something small"},
    {"integers", "whole numbers from -4096 to 4096"},
    {"positive", "uniform in (0, 1]"},
    {"special", "infinities, NaN, zeros, subnormals and values near FP32's limits among others"},
}};

const Named& named(Data data) { return NAMES.at(static_cast<size_t>(data)); }

}  // namespace

const char* name_of(Data data) { return named(data).name; }

const char* meaning_of(Data data) { return named(data).meaning; }

std::optional<Data> data_named(std::string_view name) {
  const auto found = std::ranges::find_if(EVERY_DATA, [&](Data d) { return name == name_of(d); });
  return found == EVERY_DATA.end() ? std::nullopt : std::optional(*found);
}

}  // namespace results
