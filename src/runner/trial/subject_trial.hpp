// A subject on the machine.
#pragma once

#include <functional>

#include "results/run.hpp"
#include "runner/choose/subject.hpp"
#include "runner/machine/machine.hpp"
#include "runner/trial/measure.hpp"

namespace runner {

/// The subject's rung as one that is to be run.
Candidate candidate_of(const Subject& subject);

/// Compiles the subject's kernel_file, if it has one, and takes its rung. Throws Error: see load_kernel_file().
void load(Subject& subject);

/// Lays the subject's data out and hands over one launch of it, valid during the call.
void with_launch(const Subject& subject, const std::function<void(const machine::Launch&)>& use);

/// Runs it, checks its result and says what it saw: `seen` and `judged`, without claims.
results::Result verified(const Subject& subject);

/// Launches it once between cudaProfilerStart and cudaProfilerStop: what a profiler is to see.
void launch_once(const Subject& subject);

}  // namespace runner
