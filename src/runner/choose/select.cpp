#include "runner/choose/select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "app/error.hpp"
#include "app/suggest.hpp"
#include "app/words.hpp"

namespace runner {
namespace {

using ladder::Rung;

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Words that people try who look for the exercises, and the command that they want.
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

class Selection {
 public:
  Selection(std::span<const Rung* const> rungs, std::span<const std::string> other_words)
      : rungs_(rungs), other_words_(other_words) {}

  void add(std::string_view part) {
    if (equal_ignoring_case(part, "all")) {
      for (const Rung* rung : rungs_) add(rung, false);
      return;
    }
    const size_t dash = part.find('-');
    if (dash != part.npos && is_number(part.substr(0, dash)) && is_number(part.substr(dash + 1))) {
      return add_range(part, part.substr(0, dash), part.substr(dash + 1));
    }
    if (is_number(part)) return add(by_number(part), true);
    for (const Rung* rung : rungs_) {
      if (equal_ignoring_case(part, rung->name) || equal_ignoring_case(part, label(*rung)))
        return add(rung, true);
    }
    throw no_such_word(part);
  }

  std::vector<Selected> take() { return std::move(chosen_); }

 private:
  void add(const Rung* rung, bool by_name) {
    const auto known = std::ranges::find(chosen_, rung, &Selected::rung);
    if (known == chosen_.end()) {
      chosen_.push_back({rung, by_name});
    } else {
      known->by_name |= by_name;
    }
  }

  void add_range(std::string_view text, std::string_view first, std::string_view last) {
    const int from = by_number(first)->number;
    const int to = by_number(last)->number;
    if (from > to) {
      throw Error(ExitCode::usage,
                  fmt::format("the range '{}' runs backwards; write {}-{}", text, to, from));
    }
    for (const Rung* rung : rungs_) {
      if (rung->number >= from && rung->number <= to) add(rung, false);
    }
  }

  const Rung* by_number(std::string_view text) const {
    int number = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{} && end == text.data() + text.size()) {
      for (const Rung* rung : rungs_) {
        if (rung->number == number) return rung;
      }
    }
    throw Error(ExitCode::usage,
                fmt::format("there is no kernel {}: they are numbered {} to {} (see "
                            "'sgemm_runner list')",
                            text, rungs_.front()->number, rungs_.back()->number));
  }

  Error no_such_word(std::string_view word) const {
    if (word.empty()) {
      return {ExitCode::usage, "a kernel's name is empty: between two commas, or as ''"};
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
    std::vector<std::string> known(other_words_.begin(), other_words_.end());
    known.emplace_back("all");
    for (const Rung* rung : rungs_) known.emplace_back(rung->name);
    return Error(ExitCode::usage, fmt::format("there is no kernel '{}'{} (see 'sgemm_runner list')",
                                              word, did_you_mean(word, known)));
  }

  std::span<const Rung* const> rungs_;
  std::span<const std::string> other_words_;
  std::vector<Selected> chosen_;
};

}  // namespace

std::vector<Selected> select(std::span<const std::string> words, std::span<const Rung* const> rungs,
                             std::span<const std::string> other_words) {
  Selection selection(rungs, other_words);
  for (const std::string& word : words) {
    for (const std::string& part : split(word, ',')) selection.add(part);
  }
  return selection.take();
}

std::string label(const Rung& rung) { return fmt::format("{:02}_{}", rung.number, rung.name); }

results::Identity identity_of(const Rung& rung) {
  return {.set = "sgemm", .number = rung.number, .name = rung.name};
}

results::Identity identity_of_stranger(const Rung& rung) {
  return {.set = "kernel", .name = rung.name};
}

bool applies(const device::Promise& promise, const results::Problem& p) {
  if (promise.empty() || p.is_empty() || !ladder::has_product(p.alpha, p.K) || p.beta != 0.0f) {
    return false;
  }
  const int64_t tile = promise.whole_tiles;
  return p.M % tile == 0 && p.N % tile == 0 && p.K % tile == 0 && p.is_dense() &&
         p.begins_on_boundaries();
}

}  // namespace runner
