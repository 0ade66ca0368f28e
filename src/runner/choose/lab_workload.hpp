// A lab's variants as workloads.
#pragma once

#include <vector>

#include "labs/lab.hpp"
#include "runner/choose/select_labs.hpp"
#include "runner/choose/workload.hpp"

namespace runner {

/// A variant at these sizes. The lab must outlive the workload.
Workload lab_variant(const lab::Lab& of, const lab::Variant& variant, const lab::Sizes& sizes);

/// Those of the labs, in their order.
std::vector<Workload> workloads_of(const std::vector<SelectedLab>& labs);

}  // namespace runner
