// The project's recorded runs.
#pragma once

#include <filesystem>

#include "app/project.hpp"

namespace runner {

/// Returns the folder of the recorded runs: one file for each device, e.g. nvidia-h200.json.
inline std::filesystem::path baselines() { return project_folder() / "bench/baselines"; }

/// Returns the file with times of the rungs on an H200. The next function returns the file with times of the labs.
inline std::filesystem::path recorded_run() { return baselines() / "nvidia-h200.json"; }
inline std::filesystem::path recorded_labs() { return baselines() / "nvidia-h200-labs.json"; }

/// Returns the file with counters of the simulated GPU. The next function returns the file with Nsight Compute's
/// counters on an H200.
inline std::filesystem::path simulated_counters() { return baselines() / "simulator.json"; }
inline std::filesystem::path device_counters() { return baselines() / "nvidia-h200-profile.json"; }

/// Returns the file with the summary of the rungs' machine code, for an H200.
inline std::filesystem::path recorded_sass() { return baselines() / "nvidia-h200-sass.json"; }

}  // namespace runner
