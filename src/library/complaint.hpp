// The text of sgemm_ladder_last_error().
#pragma once

#define SGEMM_LADDER_TEXT_OF(x) #x
#define SGEMM_LADDER_TEXT(x) SGEMM_LADDER_TEXT_OF(x)
/// The version as "1.2.3".
#define SGEMM_LADDER_VERSION_TEXT                                          \
  SGEMM_LADDER_TEXT(SGEMM_LADDER_VERSION_MAJOR)                            \
  "." SGEMM_LADDER_TEXT(SGEMM_LADDER_VERSION_MINOR) "." SGEMM_LADDER_TEXT( \
      SGEMM_LADDER_VERSION_PATCH)

namespace library {

/// Begins a call of this thread: forgets the last complaint. `arguments` are the names of the function's arguments, with a space between.
/// Both texts must stay.
void begin_call(const char* function, const char* arguments);

/// Stores why the call failed: "sgemm_ladder_sgemm: the current GPU has ...".
[[gnu::format(printf, 1, 2)]] void complain(const char* format, ...);

/// Stores what is wrong with an argument: "sgemm_ladder_sgemm: argument 4 (m) is -1; it must be at least 0".
[[gnu::format(printf, 2, 3)]] void complain_of(const char* argument, const char* format, ...);

/// Returns this thread's complaint; "" if there is none.
const char* complaint();

}  // namespace library
