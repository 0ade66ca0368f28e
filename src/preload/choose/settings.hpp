// The environment variables SGEMM_LADDER and SGEMM_LADDER_LOG.
#pragma once

#include <string>

namespace preload {

/// Which calls are answered.
enum class Mode {
  automatic,  // those that cuBLAS should take longer for
  off,        // none
  fp32,       // as automatic, and all that allow cuBLAS less than FP32's accuracy
  rung_12,    // all that rung 12 can
  rung_16     // all that rung 16 can
};

struct Settings {
  Mode mode = Mode::automatic;
  bool has_log = false;
  std::string log_file{};  // empty: the log is a table on stderr

  /// The sentences to tell the user: one for each value that is not allowed.
  std::string complaints{};
};

/// Returns the settings for the variables' values, nullptr if unset. A value that is not allowed counts as unset.
Settings settings_of(const char* sgemm_ladder, const char* sgemm_ladder_log);

/// Returns this process's settings. The first call reads the environment, and prints the complaints to stderr.
const Settings& settings();

}  // namespace preload
