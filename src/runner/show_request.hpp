// What `sgemm_runner show` is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/ladder.hpp"
#include "results/problem.hpp"
#include "runner/select_labs.hpp"
#include "runner/terminal.hpp"

namespace runner {

/// What a word of the command line names: a rung, a file that defines one, or a lab's variant.
struct ShownKernel {
  const ladder::Rung* rung = nullptr;
  std::string kernel_file{};
  SelectedLab lab{};  // of one variant; or of no lab
};

/// Which request is drawn, and how.
struct PictureRequest {
  std::optional<uint64_t> block{}, warp{}, nth{};  // without any of them the worst
  uint64_t steps = 1;
  bool ribbon = false;
  std::string svg_file{};

  bool is_chosen() const { return block || warp || nth; }
};

/// `sgemm_runner show KERNELS [options]`
struct ShowRequest {
  std::vector<ShownKernel> subjects{};
  bool compares = false;  // two beside each other; otherwise one after the other
  results::Problem problem{};
  std::string file{};  // of `line`, how its name ends; empty for any
  std::optional<int> line{};
  std::string buffer{};  // empty for all
  std::optional<PictureRequest> picture{};
  bool json = false;
  When color = When::automatic;
  std::string baseline_file{};
  bool baseline_asked_for = false;  // false: the files that belong to the project
  std::vector<std::string> command_line{};
};

}  // namespace runner
