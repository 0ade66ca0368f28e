// The judge's checks before it looks at an answer.
#include "workshop/judge/judge_answer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.hpp"
#include "test/support/files.hpp"
#include "workshop/course/cut.hpp"
#include "workshop/words/text_file.hpp"

namespace {

// A kernel with an instruction that the device lacks would end in a fault, and tell the learner nothing.
TEST(Judge, SaysWhatTheDeviceLacksForAnExercise) {
  workshop::Exercise exercise = workshop::find_exercise("2");
  ladder::Rung later = exercise.rung();
  later.needs = {.compute_capability = 999};
  exercise.of = &later;
  const TemporaryFolder folder;
  const std::string file = folder / "02_coalesced.cu";
  workshop::write_text(file, workshop::cut(exercise, 'a'));
  try {
    judge_answer(exercise, file, {});
    FAIL() << "it was judged";
  } catch (const runner::Error& error) {
    EXPECT_EQ(error.code(), runner::ExitCode::no_device);
    EXPECT_THAT(error.what(), testing::HasSubstr("2 coalesced needs compute capability 99.9, and"));
  }
}

}  // namespace
