#include "runner/subject.hpp"

#include <cuda_profiler_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "runner/command_line.hpp"
#include "runner/error.hpp"
#include "runner/judge.hpp"
#include "runner/lab_trial.hpp"
#include "runner/measuring.hpp"
#include "runner/product.hpp"
#include "runner/provenance.hpp"
#include "runner/select.hpp"
#include "runner/suggest.hpp"
#include "runner/verify.hpp"
#include "runner/words.hpp"

namespace runner {
namespace {

constexpr const char* SIZE = "256";
constexpr const char* ODD_SIZE = "65x63x61";
const std::string ALL = "all";

Error usage(const std::string& message) { return {ExitCode::usage, message}; }

// ---- Labs by name.

const lab::Lab* find_lab(const std::string& name) {
  for (const lab::Lab* one : lab::all()) {
    if (name == one->name) return one;
  }
  return nullptr;
}

// All of them where none is named.
std::vector<const lab::Variant*> variants_of(const lab::Lab& of,
                                             const std::optional<std::string>& name) {
  std::vector<const lab::Variant*> found;
  std::vector<std::string> known;
  for (const lab::Variant& variant : of.variants) {
    if (!name || *name == variant.name) found.push_back(&variant);
    known.emplace_back(variant.name);
  }
  if (!found.empty()) return found;
  throw usage(fmt::format("lab {} has no variant '{}'; it has {}{}", of.name, printable(*name),
                          fmt::join(known, ", "), did_you_mean(*name, known)));
}

lab::Sizes with_parameters(const lab::Lab& of, const SubjectWords& words,
                           std::set<std::string>* used) {
  std::vector<std::pair<std::string, int64_t>> sizes = lab::counted_sizes(of).all();
  for (const auto& [name, value] : words.parameters) {
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i].first != name) continue;
      const lab::Parameter& parameter = of.parameters[i];
      if (value < parameter.least || value > parameter.most) {
        throw usage(fmt::format("--{} {} is out of range: in lab {} it is from {} to {}", name,
                                value, of.name, parameter.least, parameter.most));
      }
      sizes[i].second = value;
      used->insert(name);
    }
  }
  return lab::Sizes(std::move(sizes));
}

// ---- Words into subjects.

class Selection {
 public:
  explicit Selection(const SubjectWords& words) : words_(words) {}

  std::vector<Subject> take() {
    if (words_.names.empty()) {
      throw usage("name a kernel or a lab: 2, naive, all, or copy_stride, copy_stride/8");
    }
    for (const std::string& list : words_.names) {
      for (const std::string& name : split(list, ',')) add(name);
    }
    for (const auto& [name, value] : words_.parameters) {
      if (used_.contains(name)) continue;
      throw usage(fmt::format("--{} is of no lab that was named", name));
    }
    return std::move(subjects_);
  }

 private:
  void add(const std::string& name) {
    if (name == ALL) {
      for (const ladder::Rung* rung : ladder::all().subspan(1)) add_rung(*rung, true);
      for (const lab::Lab* one : lab::all()) add_lab(*one, std::nullopt, true);
      return;
    }
    const size_t slash = name.find('/');
    if (const lab::Lab* lab = find_lab(name.substr(0, slash))) {
      const bool is_whole = slash == name.npos;
      add_lab(*lab, is_whole ? std::nullopt : std::optional(name.substr(slash + 1)), false);
      return;
    }
    std::vector<std::string> other_words{ALL};
    for (const lab::Lab* one : lab::all()) other_words.emplace_back(one->name);
    const std::vector<std::string> one_word{name};
    for (const auto& [rung, by_name] : select(one_word, ladder::all(), other_words)) {
      if (rung == ladder::all().front()) {
        throw usage(fmt::format("{} {} is the reference: it has no kernel of ours to look at",
                                rung->number, rung->name));
      }
      add_rung(*rung, false);
    }
  }

  void add_rung(const ladder::Rung& rung, bool with_odd_size) {
    std::vector<std::string> sizes;
    for (const std::string& list : words_.sizes) {
      for (const std::string& size : split(list, ',')) sizes.push_back(size);
    }
    if (sizes.empty()) sizes.emplace_back(SIZE);
    if (words_.sizes.empty() && with_odd_size) sizes.emplace_back(ODD_SIZE);
    for (const std::string& size : sizes) {
      Subject subject{.rung = &rung, .problem = parse_size(size)};
      subject.problem.seed = 1;
      if (subject.problem.is_empty()) {
        throw usage(fmt::format("--size {} is an empty product: nothing is launched", size));
      }
      add(std::move(subject));
    }
  }

  // A variant that refuses a size is passed over, unless it was named by itself.
  void add_lab(const lab::Lab& of, const std::optional<std::string>& variant, bool with_odd_size) {
    std::vector<lab::Sizes> sizes{with_parameters(of, words_, &used_)};
    if (words_.parameters.empty() && with_odd_size) sizes.push_back(odd_sizes(of));
    for (const lab::Sizes& one : sizes) {
      for (const lab::Variant* found : variants_of(of, variant)) {
        const char* why = found->refuses == nullptr ? nullptr : found->refuses(one);
        if (why == nullptr) {
          add({.lab = &of, .variant = found, .sizes = one});
        } else if (variant) {
          throw usage(fmt::format("{}/{} refuses these sizes: {}", of.name, *variant, why));
        }
      }
    }
  }

  void add(Subject subject) {
    const std::string name = results::full_name(subject.result());
    if (names_.insert(name).second) subjects_.push_back(std::move(subject));
  }

  const SubjectWords& words_;
  std::vector<Subject> subjects_;
  std::set<std::string> names_, used_;
};

}  // namespace

results::Result Subject::result() const {
  results::Result result;
  if (rung != nullptr) {
    result.who = candidate_of(*rung).who;
    result.problem = problem;
  } else {
    result.who = {
        .set = "lab", .name = lab->name, .variant = variant->name, .parameters = sizes.all()};
  }
  return result;
}

std::string Subject::name() const {
  return rung != nullptr ? fmt::format("{} {}", rung->number, rung->name)
                         : fmt::format("{}/{}", lab->name, variant->name);
}

std::string Subject::size() const {
  if (rung != nullptr) return problem.size();
  std::string text;
  for (const auto& [key, value] : sizes.all()) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
  }
  return text;
}

const std::vector<device::Claim>& Subject::promise() const {
  return rung != nullptr ? rung->promise.claims : variant->claims;
}

std::vector<device::Claim> Subject::claims() const {
  if (rung != nullptr)
    return applies(rung->promise, problem) ? promise() : std::vector<device::Claim>();
  for (size_t i = 0; i < lab->parameters.size(); ++i) {
    if (sizes.all()[i].second % lab->parameters[i].whole != 0) return {};
  }
  return promise();
}

std::vector<std::string> Subject::words() const {
  if (rung != nullptr) return {fmt::format("{}", rung->number), "--size", problem.size()};
  std::vector<std::string> words{name()};
  for (const auto& [key, value] : sizes.all()) {
    words.push_back("--" + key);
    words.push_back(fmt::format("{}", value));
  }
  return words;
}

std::vector<Subject> select_subjects(const SubjectWords& words) { return Selection(words).take(); }

lab::Sizes odd_sizes(const lab::Lab& of) {
  std::vector<std::pair<std::string, int64_t>> sizes;
  for (const lab::Parameter& parameter : of.parameters) {
    const int64_t odd = parameter.counted / 2 * 2 - 3;
    sizes.emplace_back(parameter.name, std::clamp(odd, parameter.least, parameter.most));
  }
  return lab::Sizes(std::move(sizes));
}

void with_launch(const Subject& subject, const std::function<void(const machine::Launch&)>& use) {
  if (subject.rung != nullptr) {
    Verifier verifier(subject.problem, {.guard = machine::GUARD});
    const ladder::Sgemm problem = verifier.prepare(Values::reals);
    use(launch_of(*subject.rung, problem));
  } else {
    LabTrial trial(*subject.variant, subject.sizes, machine::GUARD);
    use(trial.launch());
  }
}

results::Result verified(const Subject& subject) {
  results::Result result = subject.result();
  result.date = now();
  if (subject.rung != nullptr) {
    Verifier verifier(subject.problem, {.guard = machine::GUARD});
    const Verdict verdict = verifier.check([&](const ladder::Sgemm& sgemm, Values values) {
      if (const char* path = ladder::path(*subject.rung, sgemm)) result.path = path;
      results::Observation unseen;
      return run_product(*subject.rung, sgemm, values == Values::reals ? result.seen : unseen);
    });
    result.judged = judge(result, verdict, {});
  } else {
    LabTrial trial(*subject.variant, subject.sizes, machine::GUARD);
    result.useful_bytes = trial.useful_bytes();
    if (subject.variant->path != nullptr) result.path = subject.variant->path(subject.sizes);
    result.judged = trial.check(result.seen);
  }
  return result;
}

void launch_once(const Subject& subject) {
  with_launch(subject, [](const machine::Launch& launch) {
    check(cudaDeviceSynchronize());
    check(cudaProfilerStart());
    check(launch(nullptr));
    check(cudaDeviceSynchronize());
    check(cudaProfilerStop());
  });
}

}  // namespace runner
