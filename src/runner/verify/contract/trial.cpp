#include "runner/verify/contract/trial.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "runner/verify/product.hpp"

namespace runner::contract_checks {

using ladder::Rung;
using ladder::Sgemm;
using results::Problem;

namespace {

std::string describe_offset(int64_t floats) {
  return floats == 0 ? "on a 256-byte boundary"
                     : fmt::format("{} bytes past a 256-byte boundary",
                                   floats * static_cast<int64_t>(sizeof(float)));
}

std::string complaint_of(const Problem& p, Verifier& verifier, const std::string& where,
                         const Trial& trial) {
  const Verdict verdict = verifier.check(trial);
  if (verdict.correct) return "";
  return fmt::format("{} at {}, {}", verdict.complaint, describe(p), where);
}

// Returns the complaint about the kernel. Its launch must not wait.
std::string complaint_of(const Rung& rung, const Problem& p, Verifier& verifier) {
  std::optional<std::string> waited;
  const std::string found =
      complaint_of(p, verifier, describe_offsets(p), [&](const Sgemm& sgemm, Values values) {
        // Threads use the same addresses for any values, so only the first pass looks for hazards.
        std::optional<WithoutHazards> they_were_looked_for;
        if (values == Values::integers) they_were_looked_for.emplace();
        name_matrices(sgemm);
        cudaError_t error = cudaSuccess;
        const auto call =
            machine::call_that_waits([&] { error = ladder::launch(rung, sgemm, nullptr); });
        if (call) waited = call;
        return error != cudaSuccess ? error : cudaStreamSynchronize(nullptr);
      });
  if (!found.empty() || !waited || works_on_the_host(rung)) return found;
  return fmt::format("the launch waits for the device, in {}, at {}", *waited, describe(p));
}

}  // namespace

Problem dense(const Shape& s, Factors f) {
  Problem p = results::dense_problem(s.M, s.N, s.K);
  p.alpha = f.alpha;
  p.beta = f.beta;
  p.seed = 7;
  return p;
}

Problem padded(const Shape& s, Factors f, int64_t a, int64_t b, int64_t c) {
  Problem p = dense(s, f);
  p.lda += a;
  p.ldb += b;
  p.ldc += c;
  return p;
}

Problem transposed(Problem p, const Transposes& which) {
  p.transposes_a = which.a;
  p.transposes_b = which.b;
  p.make_dense();
  return p;
}

std::vector<Transposes> forms_of(const Rung& rung) {
  std::vector<Transposes> forms{{}};
  if (rung.takes_transposes)
    forms.insert(forms.end(), {{true, false}, {false, true}, {true, true}});
  return forms;
}

std::string describe(const Problem& p) {
  const std::string transposes = p.has_transposes() ? transposes_of(p) + ", " : "";
  return fmt::format("{}, {}lda {}, ldb {}, ldc {}, alpha {}, beta {}", p.size(), transposes, p.lda,
                     p.ldb, p.ldc, p.alpha, p.beta);
}

std::string describe_offsets(const Problem& p) {
  if (p.offset_a == p.offset_b && p.offset_b == p.offset_c)
    return "the matrices " + describe_offset(p.offset_a);
  return fmt::format("A {}, B {}, C {}", describe_offset(p.offset_a), describe_offset(p.offset_b),
                     describe_offset(p.offset_c));
}

bool works_on_the_host(const Rung& rung) {
  return !machine::MEASURES_TIME && &rung == ladder::all().front();
}

cudaError_t launch_and_wait(const Rung& rung, const Sgemm& sgemm, cudaStream_t stream) {
  name_matrices(sgemm);
  const cudaError_t error = ladder::launch(rung, sgemm, stream);
  return error != cudaSuccess ? error : cudaStreamSynchronize(stream);
}

std::string complaint_of(const Rung& rung, const Problem& p, Layout layout,
                         const std::string& where, const Trial& trial) {
  Verifier verifier(p, layout, rung.arithmetic);
  return complaint_of(p, verifier, where, trial);
}

std::string complaint_of(const Rung& rung, const Problem& p, Layout layout) {
  Verifier verifier(p, layout, rung.arithmetic);
  return complaint_of(rung, p, verifier);
}

std::string exact_complaint_of(const Rung& rung, const Problem& p) {
  const WithoutHazards they_are_looked_for_elsewhere;
  Verifier verifier(p, GUARDED, rung.arithmetic, MOST_COMPLETE_PRODUCTS, {Values::integers});
  return complaint_of(rung, p, verifier);
}

DeviceFloats::DeviceFloats(std::span<const float> values)
    : buffer_(static_cast<int64_t>(values.size())) {
  if (values.empty()) return;
  check(cudaMemcpy(data(), values.data(), values.size_bytes(), cudaMemcpyHostToDevice));
}

std::vector<float> DeviceFloats::read() const {
  std::vector<float> values(static_cast<size_t>(buffer_.size()));
  if (!values.empty())
    check(cudaMemcpy(values.data(), data(), values.size() * sizeof(float), cudaMemcpyDeviceToHost));
  return values;
}

}  // namespace runner::contract_checks
