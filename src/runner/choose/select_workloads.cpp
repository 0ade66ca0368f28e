#include "runner/choose/select_workloads.hpp"

#include <fmt/format.h>

#include <functional>
#include <set>
#include <utility>

#include "app/error.hpp"
#include "app/words.hpp"
#include "runner/choose/lab_workload.hpp"
#include "runner/choose/select.hpp"
#include "runner/choose/size.hpp"

namespace runner {
namespace {

using results::Problem;

constexpr const char* ODD_SIZE = "65x63x61";

Error usage(const std::string& message) { return {ExitCode::usage, message}; }

class Selection {
 public:
  explicit Selection(const WorkloadWords& words) : words_(words) {
    for (const std::string& list : words.names) {
      for (const std::string& word : split(list, ',')) add(word);
    }
    for (const std::string& file : words.kernel_files)
      add([file](const Problem& problem) { return product_of_file(file, problem); }, false);
    if (named_.empty())
      throw usage("name a kernel or a lab: 2, naive, all, or copy_stride, copy_stride/8");
  }

  // Returns the workloads, in the requested sizes.
  std::vector<Workload> take() {
    set_sizes(labs_, words_.parameters);
    if (labs_.size() == named_.size() && !words_.sizes.empty())
      throw usage("--size is a kernel's; 'sgemm_runner lab' lists the sizes of labs");
    for (const auto& add_workloads : named_) add_workloads();
    return std::move(workloads_);
  }

 private:
  void add(const std::string& word) {
    const bool is_all = equal_ignoring_case(word, "all");
    const std::vector<std::string> one_word{word};
    const bool is_lab = find_lab(word, lab::all()) != nullptr;
    if (is_all || !is_lab) {
      const auto rungs = ladder::all().subspan(is_all ? 1 : 0);
      for (const auto& [rung, by_name] : select(one_word, rungs, lab_names(lab::all()))) {
        if (rung == ladder::all().front()) {
          throw usage(
              fmt::format("kernel {} ({}) is the reference: it has no kernel of ours to look at",
                          rung->number, rung->name));
        }
        add([of = rung](const Problem& problem) { return product(*of, problem); }, is_all);
      }
    }
    if (!is_all && !is_lab) return;
    for (SelectedLab& lab : select_labs(one_word, lab::all())) {
      lab.sizes = lab::counted_sizes(*lab.of);  // the same on every machine
      named_.emplace_back([this, at = labs_.size(), is_all] { add_variants(labs_[at], is_all); });
      labs_.push_back(std::move(lab));
    }
  }

  using Product = std::function<Workload(const Problem& problem)>;
  void add(const Product& product, bool is_of_all) {
    named_.emplace_back([=, this] { add_products(product, is_of_all); });
  }

  void add_products(const Product& product, bool is_of_all) {
    std::vector<std::string> sizes;
    for (const std::string& list : words_.sizes) {
      for (const std::string& size : split(list, ',')) sizes.push_back(size);
    }
    if (sizes.empty()) {
      sizes.emplace_back(WORKLOAD_SIZE);
      if (is_of_all) sizes.emplace_back(ODD_SIZE);
    }
    for (const std::string& size : sizes) {
      Problem problem = parse_size(size);
      problem.seed = 1;
      if (problem.is_empty()) {
        throw usage(fmt::format(
            "--size {} is an empty product: nothing is launched, and nothing is read or written",
            size));
      }
      workloads_.push_back(product(problem));
    }
  }

  // Adds a lab's variants. Leaves out a variant that refuses a size, unless no named workload would
  // remain.
  void add_variants(const SelectedLab& lab, bool is_of_all) {
    std::vector<lab::Sizes> sizes{lab.sizes};
    if (is_of_all && words_.parameters.empty()) sizes.push_back(odd_sizes(*lab.of));
    std::string refusal;
    bool is_any_left = false;
    for (const lab::Sizes& one : sizes) {
      for (const lab::Variant* variant : lab.variants) {
        Workload workload = lab_variant(*lab.of, *variant, one);
        if (!workload.refusal.empty()) {
          refusal = fmt::format("{} refuses these sizes: {}", workload.name, workload.refusal);
          continue;
        }
        is_any_left = true;
        workloads_.push_back(std::move(workload));
      }
    }
    if (!is_any_left && !is_of_all) throw usage(refusal);
  }

  const WorkloadWords& words_;
  std::vector<SelectedLab> labs_;
  std::vector<std::function<void()>>
      named_;  // each call adds its workloads, once the labs have their sizes
  std::vector<Workload> workloads_;
};

void keep_each_once(std::vector<Workload>& workloads) {
  std::set<std::string> known;
  std::erase_if(workloads, [&](const Workload& one) {
    return !known.insert(one.kernel_file + results::full_name(one.result())).second;
  });
}

}  // namespace

std::vector<Workload> select_workloads(const WorkloadWords& words) {
  std::vector<Workload> workloads = Selection(words).take();
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
