// Labs with planted faults, and sound ones beside them, for tests of the code that judges and shows labs.
#pragma once

#include "labs/lab.hpp"

namespace faulty {

/// Copies `elements` floats, "in" to "out". Its variants "plain" and "backwards" are both right and keep their promise.
extern const lab::Lab sound_lab;
/// The same lab, as a riddle.
extern const lab::Lab riddle_lab;

/// Each variant is named after its fault.
extern const lab::Lab
    wrong_lab;  // "one_word": word 37; "never_written": word 5; "spoils_in": word 3 of its input
extern const lab::Lab breaks_promise_lab;  // "claims_2_sectors"
extern const lab::Lab refusing_lab;  // "plain", and "multiple_of_4", which refuses other sizes
extern const lab::Lab beside_lab;    // "one_behind": writes the word behind "out"
extern const lab::Lab huge_lab;      // "plain", whose array no device has memory for

}  // namespace faulty
