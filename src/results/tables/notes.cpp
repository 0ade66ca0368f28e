// The notes below a table: complaints, and the details of -v.
#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string_view>
#include <vector>

#include "results/tables/table.hpp"
#include "results/values/metrics.hpp"
#include "text/page.hpp"

namespace results {
namespace {

// Returns "2 coalesced at 64x64x64", "2 coalesced at 64x64x64, normal data" or "copy_stride/8 at elements 16384".
std::string title(const Result& r) {
  std::string text = spoken_name(r.who);
  if (is_of_a_lab(r)) {
    const std::string sizes = sizes_of(r.who);
    return sizes.empty() ? text : text + " at " + sizes;
  }
  if (r.problem) text += " at " + r.problem->size();
  if (r.problem && r.problem->data != Data::uniform)
    text += fmt::format(", {} data", name_of(r.problem->data));
  if (r.problem && r.problem->has_transposes()) text += ", " + transposes_of(*r.problem);
  if (r.problem) text += batch_of(*r.problem);
  return text;
}

// Returns "load sectors per request of A = 32: counted 4".
std::string text_of(const CheckedClaim& c) {
  const Metric* known = find_metric(c.counter);
  return fmt::format("{}{} {} {:.6g}: counted {}", known != nullptr ? known->name : c.counter,
                     c.buffer.empty() ? "" : " of " + c.buffer, c.relation, c.value,
                     c.counted ? fmt::format("{:.6g}", *c.counted) : "nothing");
}

std::string text_of(const BrokenCheck& broken) {
  return broken.name + (broken.complaint.empty() ? "" : ": " + broken.complaint);
}

// Returns the first failed check in full, and on a line below it the names of some others: one mistake breaks many.
std::string contract_text(const Judgement& j) {
  constexpr size_t MOST_NAMED = 4;
  std::string text = text_of(j.contract.front());
  if (j.contract.size() == 1) return text;
  const size_t others = j.contract.size() - 1;
  const size_t named =
      others <= MOST_NAMED + 1 ? others : MOST_NAMED;  // "and 1 more" saves nothing
  std::vector<std::string> names;
  for (size_t i = 1; i <= named; ++i) names.push_back(j.contract[i].name);
  text += fmt::format(";\n{} more of its {} checks {} broken: {}", others, j.contract_checks,
                      others == 1 ? "is" : "are", fmt::join(names, ", "));
  if (named < others) text += fmt::format(" and {} more (-v tells all)", others - named);
  return text;
}

std::string extent(const std::array<int64_t, 3>& e, const text::Signs& signs) {
  std::string text = std::to_string(e[0]);
  if (e[1] > 1 || e[2] > 1) text += signs.times + std::to_string(e[1]);
  if (e[2] > 1) text += signs.times + std::to_string(e[2]);
  return text;
}

// Cuts a name. A library's kernel may have a name of a hundred letters without a space to break it at.
std::string shortened(const std::string& name, int width, const text::Signs& signs) {
  const int most = std::max(20, width - 8);
  if (width == 0 || text::display_width(name) <= most) return name;
  return name.substr(0, static_cast<size_t>(most - 1)) + signs.ellipsis;
}

std::string text_of(const Kernel& k, int width, const text::Signs& signs) {
  std::string text = fmt::format(
      "{}: {} block{} of {} threads", shortened(k.name, width, signs), extent(k.grid, signs),
      k.grid == std::array<int64_t, 3>{1, 1, 1} ? "" : "s", extent(k.block, signs));
  if (k.registers) text += fmt::format(", {} registers", *k.registers);
  if (k.shared_bytes) text += fmt::format(", {} bytes of shared memory", *k.shared_bytes);
  if (k.blocks_per_multiprocessor) {
    text += fmt::format(", {} block{} on a multiprocessor", *k.blocks_per_multiprocessor,
                        *k.blocks_per_multiprocessor == 1 ? "" : "s");
  }
  return text;
}

// Returns a hazard's text with the number of occurrences in its first line.
std::string text_of(const Hazard& hazard) {
  std::string text = hazard.message.empty() ? hazard.kind : hazard.message;
  if (hazard.times > 1) {
    text.insert(std::min(text.find('\n'), text.size()),
                fmt::format(" (seen {} times)", hazard.times));
  }
  return text;
}

// Returns "error 1.2e-07, the reference's 1.1e-07; largest |error| / (|A||B|) ...; 3 infinities or NaN ...".
std::string text_of(const Errors& e) {
  const auto figure = [](const std::optional<double>& error) {
    return error ? fmt::format("{:.3g}", *error) : std::string("unknown");
  };
  std::string text = fmt::format(
      "relative Frobenius error {}, the reference's {}; largest |error| / (|A||B|) {}, the "
      "reference's {}",
      figure(e.frobenius), figure(e.reference_frobenius), figure(e.largest),
      figure(e.reference_largest));
  if (e.wrong_infinities + e.reference_wrong_infinities > 0) {
    text += fmt::format(
        "; sums that overflow otherwise than the exact sum would: {}, of the reference {}",
        e.wrong_infinities, e.reference_wrong_infinities);
  }
  return text;
}

// Returns "left to FP64: 40 rows, 1 band of 16 x 64; at most 0.99 % of C".
std::string text_of(const LeftToFP64& left) {
  if (left.share == 0) return "left to FP64: nothing";
  std::vector<std::string> parts;
  const auto add = [&](int64_t count, const char* what, const char* of_size) {
    if (count > 0)
      parts.push_back(fmt::format("{} {}{}{}", count, what, count == 1 ? "" : "s", of_size));
  };
  add(left.rows, "row", "");
  add(left.cols, "column", "");
  add(left.bands, "band", " of 16 x 64");
  if (parts.empty()) return "computed in FP64 as a whole";
  return fmt::format("left to FP64: {}; at most {:.3g} % of C", fmt::join(parts, ", "),
                     100 * left.share);
}

// An error of a result: a clause without its subject, "broke its promise: ...", or a whole clause, "C[0][0] is ...".
struct Fault {
  std::string clause;
  bool lacks_subject = false;

  std::string of(const std::string& title) const {
    return title + (lacks_subject ? " " : ": ") + clause;
  }
};

std::vector<Fault> faults_of(const Result& r) {
  std::vector<Fault> faults;
  if (!r.refusal.empty()) return faults;  // no complaint: the table says why
  if (!r.judged.correct)
    faults.push_back({r.judged.complaint.empty() ? "its result is wrong" : r.judged.complaint});
  if (!r.judged.contract.empty())
    faults.push_back({"broke the contract: " + contract_text(r.judged), true});
  for (const CheckedClaim& claim : r.judged.claims) {
    if (!claim.kept) faults.push_back({"broke its promise: " + text_of(claim), true});
  }
  for (const Hazard& hazard : r.seen.hazards) faults.push_back({text_of(hazard)});
  return faults;
}

}  // namespace

std::string complaint(const Result& result) {
  std::string text;
  for (const Fault& fault : faults_of(result))
    text += (text.empty() ? "" : "; ") + fault.of(result.who.name);
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::vector<std::string> faults(const Result& result) {
  std::vector<std::string> clauses;
  for (const Fault& fault : faults_of(result))
    clauses.push_back((fault.lacks_subject ? "it " : "") + fault.clause);
  return clauses;
}

std::string complaints(const Run& run, const text::Page& page) {
  const text::Signs signs(page.unicode);
  std::string text;
  // The first line of an error follows the title. The other lines are below it.
  const auto add = [&](const std::string& what) {
    const std::vector<std::string_view> lines = text::lines_of(what);
    text += text::wrap(fmt::format("{} {}", signs.wrong, lines.front()), page.width, 2) + "\n";
    for (const std::string_view line : lines | std::views::drop(1))
      text += text::wrap(fmt::format("    {}", line), page.width, 6) + "\n";
  };
  for (const Result& r : run.results) {
    const std::vector<Fault> all = faults_of(r);
    for (size_t i = 0; i < all.size(); ++i) {
      add(all[i].of(title(r)));
      if (i > 0 || r.judged.correct) continue;
      for (const std::string_view line : text::lines_of(r.judged.failure))
        text += text::wrap(line, page.width, 4) + "\n";
    }
  }
  return text;
}

std::string details(const Run& run, const text::Page& page) {
  const text::Signs signs(page.unicode);
  std::string text;
  const auto add = [&](const std::string& line) { text += text::wrap(line, page.width, 4) + "\n"; };
  for (const Result& r : run.results) {
    const Judgement& j = r.judged;
    if (!r.refusal.empty()) {
      add(fmt::format("{}: refused: {}", title(r), r.refusal));
      continue;
    }
    if (is_of_a_lab(r)) {
      add(fmt::format("{}: {} words compared, {}", title(r), j.compared,
                      j.correct ? "each as it must be" : "wrong"));
    } else if (r.problem) {
      const double elements = static_cast<double>(r.problem->M) * static_cast<double>(r.problem->N);
      add(fmt::format(
          "{}: reals: {} of {:.0f} elements compared with an FP64 product, largest error {:.3g}, "
          "{:.3g} of the bound; {}",
          title(r), j.compared, elements, j.max_abs_error, j.error_over_bound,
          j.correct ? "small integers: every element exact" : "wrong"));
    } else {
      add(fmt::format("{}: {}", title(r), j.correct ? "right" : "wrong"));
    }
    if (j.contract_checks > 0) {
      add(fmt::format("  contract: {} of {} checks kept",
                      j.contract_checks - static_cast<int>(j.contract.size()), j.contract_checks));
      for (const BrokenCheck& broken : j.contract)
        add(fmt::format("  {} {}", signs.wrong, text_of(broken)));
    }
    if (j.errors) add("  " + text_of(*j.errors));
    if (!r.below_fp32.empty())
      add(fmt::format("  arithmetic: {}, which is less accurate than FP32", r.below_fp32));
    if (!r.path.empty()) add(fmt::format("  path: {}", r.path));
    if (!r.expected.empty()) add("  expected: " + results::text_of(r.expected));
    if (r.seen.left_to_fp64) add("  " + text_of(*r.seen.left_to_fp64));
    for (const Kernel& kernel : r.seen.kernels) add("  " + text_of(kernel, page.width, signs));
    for (const CheckedClaim& claim : j.claims) {
      add(fmt::format("  {} {}", claim.kept ? signs.right : signs.wrong, text_of(claim)));
    }
    if (r.seen.traffic && !is_of_a_lab(r)) {
      if (const auto figure = value(r, "flops_per_global_byte")) {
        add(fmt::format("  {:.2g} {}", *figure, metric("flops_per_global_byte").name));
      }
    }
    if (r.seen.looked_for_hazards) {
      add(fmt::format("  hazards: {}", r.seen.hazards.empty()
                                           ? "none in any launch, those of the checks included"
                                           : fmt::format("{}, told below", r.seen.hazards.size())));
    }
    for (const Line& l : r.seen.lines) {
      std::string line = fmt::format("  {}:{} {} {}: {} requests", l.file, l.line, l.instruction,
                                     l.buffer, l.requests);
      if (l.sectors > 0) line += fmt::format(", {} sectors", l.sectors);
      if (l.wavefronts > 0)
        line += fmt::format(", {} wavefronts, {} conflicts", l.wavefronts, l.bank_conflicts);
      add(line);
    }
    if (r.seen.timing) {
      const Timing& t = *r.seen.timing;
      add(fmt::format("  {} samples of {} launch{}, {}", t.samples_ms.size(), t.launches_per_sample,
                      t.launches_per_sample == 1 ? "" : "es",
                      j.trusted()
                          ? "trusted"
                          : fmt::format("not to be trusted: {}", fmt::join(j.doubts, "; "))));
    }
  }
  return text;
}

}  // namespace results
