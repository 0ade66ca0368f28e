#include "runner/choose/select_workloads.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "app/error.hpp"
#include "app/words.hpp"
#include "runner/choose/lab_workload.hpp"
#include "runner/choose/select.hpp"
#include "runner/choose/size.hpp"

namespace runner {
namespace {

constexpr const char* ODD_SIZE = "65x63x61";

Error usage(const std::string& message) { return {ExitCode::usage, message}; }

// What a word stands for, before it meets a size.
struct Named {
  const ladder::Rung* rung = nullptr;  // either a rung
  std::string kernel_file{};           // or a file that defines one
  SelectedLab lab{};                   // or variants of a lab
  bool is_of_all = false;
};

// ---- Names.

Named named_lab(SelectedLab lab, bool is_of_all) {
  lab.sizes = lab::counted_sizes(*lab.of);  // whatever machine this is
  return {.lab = std::move(lab), .is_of_all = is_of_all};
}

void add_named(const std::string& word, std::vector<Named>& named) {
  const std::vector<std::string> one_word{word};
  if (equal_ignoring_case(word, "all")) {
    for (const ladder::Rung* rung : ladder::all().subspan(1))
      named.push_back({.rung = rung, .is_of_all = true});
    for (SelectedLab& lab : select_labs(one_word, lab::all()))
      named.push_back(named_lab(std::move(lab), true));
    return;
  }
  if (find_lab(word, lab::all()) != nullptr) {
    for (SelectedLab& lab : select_labs(one_word, lab::all()))
      named.push_back(named_lab(std::move(lab), false));
    return;
  }
  for (const auto& [rung, by_name] : select(one_word, ladder::all(), lab_names(lab::all()))) {
    if (rung == ladder::all().front()) {
      throw usage(
          fmt::format("kernel {} ({}) is the reference: it has no kernel of ours to look at",
                      rung->number, rung->name));
    }
    named.push_back({.rung = rung});
  }
}

std::vector<Named> named_by(const WorkloadWords& words) {
  std::vector<Named> named;
  for (const std::string& list : words.names) {
    for (const std::string& word : split(list, ',')) add_named(word, named);
  }
  for (const std::string& file : words.kernel_files) named.push_back({.kernel_file = file});
  if (named.empty())
    throw usage("name a kernel or a lab: 2, naive, all, or copy_stride, copy_stride/8");
  return named;
}

// ---- Sizes.

void set_sizes_of_labs(const WorkloadWords& words, std::vector<Named>& named) {
  std::vector<SelectedLab> labs;
  for (const Named& one : named) {
    if (one.lab.of != nullptr) labs.push_back(one.lab);
  }
  set_sizes(labs, words.parameters);
  auto lab = labs.begin();
  for (Named& one : named) {
    if (one.lab.of != nullptr) one.lab = *lab++;
  }
  if (labs.size() == named.size() && !words.sizes.empty())
    throw usage("--size is a kernel's; 'sgemm_runner lab' lists the sizes of labs");
}

void add_products(const Named& named, const WorkloadWords& words,
                  std::vector<Workload>& workloads) {
  std::vector<std::string> sizes;
  for (const std::string& list : words.sizes) {
    for (const std::string& size : split(list, ',')) sizes.push_back(size);
  }
  if (sizes.empty()) {
    sizes.emplace_back(WORKLOAD_SIZE);
    if (named.is_of_all) sizes.emplace_back(ODD_SIZE);
  }
  for (const std::string& size : sizes) {
    results::Problem problem = parse_size(size);
    problem.seed = 1;
    if (problem.is_empty()) {
      throw usage(fmt::format(
          "--size {} is an empty product: nothing is launched, and nothing is read or written",
          size));
    }
    workloads.push_back(named.kernel_file.empty() ? product(*named.rung, problem)
                                                  : product_of_file(named.kernel_file, problem));
  }
}

// A variant that refuses a size is passed over, unless nothing would be left of what was named.
void add_variants(const Named& named, const WorkloadWords& words,
                  std::vector<Workload>& workloads) {
  const lab::Lab& of = *named.lab.of;
  std::vector<lab::Sizes> sizes{named.lab.sizes};
  if (named.is_of_all && words.parameters.empty()) sizes.push_back(odd_sizes(of));
  std::string refusal;
  bool is_any_left = false;
  for (const lab::Sizes& one : sizes) {
    for (const lab::Variant* variant : named.lab.variants) {
      Workload workload = lab_variant(of, *variant, one);
      if (!workload.refusal.empty()) {
        refusal = fmt::format("{} refuses these sizes: {}", workload.name, workload.refusal);
        continue;
      }
      is_any_left = true;
      workloads.push_back(std::move(workload));
    }
  }
  if (!is_any_left && !named.is_of_all) throw usage(refusal);
}

void keep_each_once(std::vector<Workload>& workloads) {
  std::set<std::string> known;
  std::erase_if(workloads, [&](const Workload& one) {
    return !known.insert(one.kernel_file + results::full_name(one.result())).second;
  });
}

}  // namespace

std::vector<Workload> select_workloads(const WorkloadWords& words) {
  std::vector<Named> named = named_by(words);
  set_sizes_of_labs(words, named);
  std::vector<Workload> workloads;
  for (const Named& one : named) {
    if (one.lab.of != nullptr) {
      add_variants(one, words, workloads);
    } else {
      add_products(one, words, workloads);
    }
  }
  if (!words.with_repeats) keep_each_once(workloads);
  return workloads;
}

void refuse_riddles(const std::vector<Workload>& workloads, const char* command) {
  for (const Workload& one : workloads) {
    if (!one.is_riddle) continue;
    throw usage(
        fmt::format("'{}' is a riddle, and '{}' tells how its lanes walk: add --reveal to be told",
                    one.who.name, command));
  }
}

}  // namespace runner
