#include "workshop/tell/sign.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.hpp"
#include "workshop/course/exercise.hpp"

namespace {

using testing::HasSubstr;
using testing::StartsWith;
using workshop::Ending;
using workshop::Outcome;

// Returns an outcome that has a fact of each kind.
Outcome outcome() {
  Outcome o{.ending = Ending::wrong_result,
            .fault = {.kind = "out_of_bounds", .action = "reads", .memory = "shared"},
            .size = "64x64x64",
            .strided = true,
            .message = "C[0][0] is 3, should be 4\nat 64x64x64\n"};
  o.causes = {{.name = "transposed"}, {.name = "edge only"}};
  o.contract_check = "alpha and beta";
  o.examined = "0 2 1";
  o.hazards = {{.kind = "unwritten read", .message = "k reads shared memory that nobody wrote\n"}};
  o.claims = {{.counter = "load_sectors_per_request", .buffer = "A", .counted = 4},
              {.counter = "blocks", .size = "4x4x4096", .counted = 12},
              {.counter = "shared_bank_conflicts", .counted = {}}};
  return o;
}

bool holds(const std::string& sign) {
  return workshop::matches(workshop::parse_sign(sign, "here"), outcome(),
                           "__shared__ float As[32][32];\n");
}

std::string refusal(const std::string& sign) {
  try {
    workshop::parse_sign(sign, "exercises/x/wrong_answers.md:7");
  } catch (const runner::Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(Sign, HoldsOfWhatBecameOfAnAnswer) {
  for (const char* sign : {
           "ending is wrong_result",
           "ending is fault or wrong_result",
           "cause is transposed",
           "cause is edge only",
           "hazard is unwritten_read",
           "check is alpha and beta",
           "examination is 0 2 1",
           "examination is 0 2",  // of the first answers
           "says should be [0-9]",
           "fault is out_of_bounds",
           "fault is out_of_bounds reads shared",
           "at 64x64x64",
           "at strided",
           "at strided 64x64x64",
           "says at 64x64x64",
           "says that nobody wrote",  // of a hazard
           "source has __shared__",
           "source lacks __syncthreads()",
           "claim load_sectors_per_request of A is 4",
           "claim load_sectors_per_request of A above 3.9",
           "claim load_sectors_per_request of A is above 3.9",
           "claim load_sectors_per_request of A below 4.1",
           "claim blocks is 12",
           "claim blocks is below 13",
           "claim blocks at 4x4x4096 is 12",
       }) {
    EXPECT_TRUE(holds(sign)) << sign;
  }
}

TEST(Sign, DoesNotHoldOfAnythingElse) {
  for (const char* sign : {
           "ending is right",
           "ending is right or fault",
           "fault is misaligned",
           "fault is out_of_bounds writes",
           "at 64x64x65",
           "at strided 64x64x65",
           "cause is all zeros",
           "hazard is race",
           "check is dense shapes",
           "examination is 0 1",
           "examination is 0 2 1 0",
           "examination is 2 1",
           "says should be [a-z]",
           "source has __syncthreads()",
           "source lacks __shared__",
           "claim load_sectors_per_request of A is 1",
           "claim load_sectors_per_request of A above 4",
           "claim load_sectors_per_request of A below 4",
           "claim load_sectors_per_request of B is 4",
           "claim load_sectors_per_request is 4",
           "claim blocks above 12",
           "claim blocks at 4x4x4095 is 12",
           "claim shared_bank_conflicts is 0",  // nothing was counted
           "claim shared_bank_conflicts below 1",
       }) {
    EXPECT_FALSE(holds(sign)) << sign;
  }
}

TEST(Sign, HoldsWhenAllItsTermsDo) {
  EXPECT_TRUE(holds("ending is wrong_result; cause is transposed; source has float As[32][32];"));
  EXPECT_FALSE(holds("ending is wrong_result; cause is all zeros; source has __shared__"));
  EXPECT_FALSE(holds("ending is fault; cause is transposed"));
}

TEST(Sign, SaysWhereAMisspeltTermStands) {
  EXPECT_EQ(
      refusal("ending is wrong_result; cause is transpose"),
      "exercises/x/wrong_answers.md:7: the sign's term 'cause is transpose': there is no "
      "cause 'transpose'; did you mean 'transposed'? (src/workshop/diagnose/hypotheses.cpp has the "
      "list)");
  EXPECT_THAT(refusal("ending is wrong_resul"), HasSubstr("did you mean 'wrong_result'?"));
  EXPECT_THAT(refusal("hazard is unwriten_read"), HasSubstr("did you mean 'unwritten_read'?"));
  EXPECT_THAT(refusal("check is dense shape"), HasSubstr("did you mean 'dense shapes'?"));
  EXPECT_THAT(refusal("claim load_sectors_per_requst of A is 4"),
              HasSubstr("did you mean 'load_sectors_per_request'?"));
  EXPECT_THAT(refusal("cauze is transposed"), HasSubstr("did you mean 'cause is ...'?"));
  EXPECT_THAT(refusal("clam blocks is 3"), HasSubstr("did you mean 'claim ...'?"));
  EXPECT_THAT(refusal("nobody knows why"),
              HasSubstr("a term begins with 'ending is', 'fault is', "));
}

TEST(Sign, RefusesWhatCanNeverHold) {
  EXPECT_THAT(refusal(""), HasSubstr(":7: there is no sign"));
  EXPECT_THAT(refusal("ending is right; "), HasSubstr("the sign's term ''"));
  EXPECT_THAT(refusal("says ("), HasSubstr("no regular expression"));
  EXPECT_THAT(refusal("fault is misalligned"), HasSubstr("did you mean 'misaligned'?"));
  EXPECT_THAT(refusal("at 64"), HasSubstr("'64' is no size"));
  EXPECT_THAT(refusal("at home"), HasSubstr(":7: the sign's term 'at home': it should be 'at"));
  EXPECT_THAT(refusal("claim blocks is many"), HasSubstr("'many' is no number"));
  EXPECT_THAT(refusal("claim blocks is 3 or so"), HasSubstr("it should be 'claim COUNTER"));
  EXPECT_THAT(refusal("claim blocks about 3"), HasSubstr("it should be 'claim COUNTER"));
  EXPECT_THAT(refusal("claim blocks"), HasSubstr("it should be 'claim COUNTER"));
}

TEST(Sign, OfEveryExerciseIsUnderstood) {
  int signs = 0;
  for (const workshop::Exercise& exercise : workshop::course()) {
    if (!exercise.is_written()) continue;
    const auto parse = [&](const workshop::Document& document, const char* field) {
      for (const workshop::Section& section : document.sections) {
        const std::string sign = section.field(field);
        if (sign.empty()) continue;  // a piece that is always replaced
        ++signs;
        EXPECT_NO_THROW(workshop::parse_sign(sign, document.file)) << section.title;
      }
    };
    parse(exercise.holes(), "Fails by");
    parse(exercise.wrong_answers(), "Known by");
  }
  EXPECT_GT(signs, 0);
}

TEST(Sign, WithoutATermHoldsOfNothing) {
  EXPECT_FALSE(workshop::matches(workshop::Sign{}, outcome(), ""));
}

}  // namespace
