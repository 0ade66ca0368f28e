#include "runner/choose/select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "app/suggest.hpp"
#include "app/words.hpp"
#include "kernels/best/best.hpp"

namespace runner {
namespace {

using ladder::Rung;

bool has_number(const Rung& rung) { return rung.number != Rung::NO_NUMBER; }

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Words that people try to find the exercises, and the right command for each.
struct Tried {
  const char *word, *command, *what;
};
constexpr Tried TRIED[] = {
    {"start", "learn", "says where you are and what is next"},
    {"next", "learn next", "opens the next exercise"},
    {"skip", "learn skip", "puts an exercise off"},
    {"exercise", "learn", "says where you are and what is next"},
    {"exercises", "learn", "says where you are and what is next"},
    {"workshop", "learn", "says where you are and what is next"},
    {"tutorial", "learn", "says where you are and what is next"},
    {"quiz", "learn quiz", "asks questions"},
    {"answer", "check",
     "judges your answer to an exercise; 'sgemm_runner solution' shows the rung's"},
    {"test", "check", "judges your answer to an exercise; './run_tests' runs the project's tests"},
    {"verify", "learn --verify", "proves the exercises"},
    {"pack", "learn --pack FILE", "makes an archive for a class"},
};

// Returns nothing if the text is not a number, or is too large a number.
std::optional<int> number_in(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!is_number(text) || error != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

Error no_such_kernel(std::string_view word, std::span<const Rung* const> rungs,
                     std::span<const std::string> other_words) {
  if (word.empty()) {
    return {ExitCode::usage, "a kernel's name is empty: between two commas, or as ''"};
  }
  if (is_number(word)) {
    return {
        ExitCode::usage,
        fmt::format("there is no kernel {}: they are numbered {} to {} (see 'sgemm_runner list')",
                    word, rungs.front()->number, rungs.back()->number)};
  }
  if (word.ends_with(".json")) {
    return {ExitCode::usage,
            fmt::format("there is no kernel '{0}': to write JSON into that file, say --json={0}; "
                        "to see what it holds, 'sgemm_runner table {0}'",
                        word)};
  }
  if (word.ends_with(".cu")) {
    return {
        ExitCode::usage,
        fmt::format("there is no kernel '{0}': to run a file of yours, say --kernel {0}", word)};
  }
  for (const auto& [tried, command, what] : TRIED) {
    if (!equal_ignoring_case(word, tried)) continue;
    return {ExitCode::usage,
            fmt::format("there is no kernel '{}': 'sgemm_runner {}' {}", word, command, what)};
  }
  std::vector<std::string> known(other_words.begin(), other_words.end());
  known.emplace_back("all");
  known.emplace_back(ladder::best.name);
  for (const Rung* rung : rungs) known.emplace_back(rung->name);
  return {ExitCode::usage, fmt::format("there is no kernel '{}'{} (see 'sgemm_runner list')", word,
                                       did_you_mean(word, known))};
}

}  // namespace

std::vector<Meant> meant_by(std::span<const std::string> words, std::span<const Nameable> list,
                            const std::function<Error(std::string_view word)>& no_such) {
  std::vector<Meant> meant;
  const auto add_all = [&](bool by_name, const auto& is_meant) {
    bool any = false;
    for (size_t place = 0; place < list.size(); ++place) {
      if (!is_meant(list[place])) continue;
      any = true;
      auto known = std::ranges::find(meant, place, &Meant::place);
      if (known == meant.end()) known = meant.insert(known, {place, false});
      known->by_name |= by_name;
    }
    return any;
  };
  const auto in_list = [&](std::string_view text) {
    const auto number = number_in(text);
    if (!number || std::ranges::find(list, number, &Nameable::number) == list.end())
      throw no_such(text);
    return *number;
  };
  const auto add = [&](std::string_view part) {
    if (equal_ignoring_case(part, "all"))
      return add_all(false, [](const Nameable& one) { return !one.is_extra; });
    const size_t dash = std::min(part.find('-'), part.size());
    const std::string_view first = part.substr(0, dash),
                           last = part.substr(std::min(dash + 1, part.size()));
    if (list.front().number && is_number(first) && is_number(last)) {
      const int from = in_list(first), to = in_list(last);
      if (from > to) {
        throw Error(ExitCode::usage,
                    fmt::format("the range '{}' runs backwards; write {}-{}", part, to, from));
      }
      return add_all(false,
                     [&](const Nameable& one) { return one.number >= from && one.number <= to; });
    }
    const auto number = number_in(part);
    return add_all(true, [&](const Nameable& one) {
      return (number && one.number == number) ||
             std::ranges::any_of(one.names, [&](const std::string& name) {
               return equal_ignoring_case(part, name);
             });
    });
  };
  for (const std::string& word : words) {
    for (const std::string& part : split(word, ',')) {
      if (!add(part)) throw no_such(part);
    }
  }
  return meant;
}

std::vector<Selected> select(std::span<const std::string> words, std::span<const Rung* const> rungs,
                             std::span<const std::string> other_words) {
  std::vector<Nameable> list;
  for (const Rung* rung : rungs) list.push_back({{rung->name, label(*rung)}, rung->number});
  list.push_back({.names = {ladder::best.name}, .is_extra = true});
  std::vector<Selected> selected;
  for (const auto& [place, by_name] : meant_by(words, list, [&](std::string_view word) {
         return no_such_kernel(word, rungs, other_words);
       }))
    selected.push_back({place < rungs.size() ? rungs[place] : &ladder::best, by_name});
  return selected;
}

std::string label(const Rung& rung) { return results::label(identity_of(rung)); }

std::string title(const Rung& rung) {
  return has_number(rung) ? fmt::format("{} {}", rung.number, rung.name) : rung.name;
}

std::string word_for(const Rung& rung) {
  return has_number(rung) ? fmt::format("{}", rung.number) : rung.name;
}

results::Identity identity_of(const Rung& rung) {
  return {.set = "sgemm",
          .number = has_number(rung) ? std::optional(rung.number) : std::nullopt,
          .name = rung.name};
}

results::Identity identity_of_stranger(const Rung& rung) {
  return {.set = "kernel", .name = rung.name};
}

bool applies(const device::Promise& promise, const results::Problem& p) {
  if (promise.empty() || p.is_empty() || !ladder::has_product(p.alpha, p.K) || p.beta != 0.0f) {
    return false;
  }
  if (p.has_transposes()) return false;
  if (promise.uniform_data_only && p.data != results::Data::uniform) return false;
  const int64_t tile = promise.whole_tiles;
  return p.M % tile == 0 && p.N % tile == 0 && p.K % tile == 0 && p.is_dense() &&
         p.begins_on_boundaries() && p.every_product_begins_on_boundaries();
}

}  // namespace runner
