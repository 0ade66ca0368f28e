#include "results/values/run.hpp"

#include <gtest/gtest.h>

#include "test/results/made_runs.hpp"

namespace {

TEST(Names, AreThoseThatOtherToolsRelyOn) {
  EXPECT_EQ(results::label(made::rung(2, "coalesced").who), "02_coalesced");
  EXPECT_EQ(results::full_name(made::rung(2, "coalesced", 4096)),
            "sgemm/02_coalesced/4096x4096x4096");
}

TEST(Names, TellVariantsAndParametersApart) {
  const results::Result lab{.who = {.set = "labs",
                                    .name = "copy",
                                    .variant = "float4",
                                    .parameters = {{"stride", 8}, {"offset", -1}}}};
  EXPECT_EQ(results::label(lab.who), "copy");
  EXPECT_EQ(results::full_name(lab), "labs/copy/float4/stride=8/offset=-1");
}

TEST(Traffic, AddsUpTheBuffersWhereNoneIsNamed) {
  const results::Traffic traffic{
      .counts = {{"load_requests", "A", 3}, {"load_requests", "B", 4}, {"ffma", "", 5}}};
  EXPECT_EQ(traffic.count("load_requests", "A"), 3);
  EXPECT_EQ(traffic.count("load_requests"), 7);
  EXPECT_EQ(traffic.count("ffma"), 5);
  EXPECT_EQ(traffic.count("load_requests", "C"), std::nullopt);
  EXPECT_EQ(traffic.count("flops"), std::nullopt);
}

TEST(IsRight, TakesAllOfItToBeRight) {
  results::Result r = made::rung(1, "naive");
  EXPECT_TRUE(r.is_right());
  r.judged.correct = false;
  EXPECT_FALSE(r.is_right()) << "a wrong result";
  r = made::rung(1, "naive");
  r.judged.claims = {{.kept = true}, {.kept = false}};
  EXPECT_FALSE(r.is_right()) << "a broken promise";
  r = made::rung(1, "naive");
  r.judged.contract = {{.name = "it reads C though beta is 0"}};
  EXPECT_FALSE(r.is_right()) << "a broken contract";
  r = made::rung(1, "naive");
  r.seen.hazards = {{.kind = "race"}};
  EXPECT_FALSE(r.is_right()) << "a race whose result was right by chance";
}

// The message may differ from sighting to sighting; the kind, the kernel and the lines identify a hazard.
TEST(Hazards, AreOneForEachPairOfLines) {
  const results::Hazard race{
      .kind = "race", .message = "here", .kernel = "f", .lines = {"a.cu:1", "a.cu:2"}, .times = 3};
  results::Hazard again = race, elsewhere = race, other_kernel = race, other_kind = race;
  again.message = "there";
  again.times = 4;
  elsewhere.lines = {"a.cu:1", "a.cu:3"};
  other_kernel.kernel = "g";
  other_kind.kind = "unwritten read";

  std::vector<results::Hazard> known;
  results::add_hazards({race, elsewhere}, known);
  results::add_hazards({again, other_kernel, other_kind}, known);
  ASSERT_EQ(known.size(), 4U);
  EXPECT_EQ(known[0].message, "here") << "the first sighting is told";
  EXPECT_EQ(known[0].times, 7U);
  EXPECT_EQ(known[1], elsewhere);
}

TEST(Problem, CountsWorkAndTraffic) {
  results::Problem p = results::dense_problem(2, 3, 4);
  EXPECT_EQ(p.flops(), 2 * 2 * 3 * 4);
  EXPECT_EQ(p.least_bytes(), (8 + 12 + 6) * 4);
  p.beta = 1;
  EXPECT_EQ(p.least_bytes(), (8 + 12 + 2 * 6) * 4) << "C is read too";
  p.alpha = 0;
  EXPECT_EQ(p.flops(), 0);
  EXPECT_EQ(p.least_bytes(), 2 * 6 * 4) << "neither A nor B is read";
  EXPECT_EQ(results::dense_problem(2, 3, 0).least_bytes(), 6 * 4);
}

TEST(Problem, KnowsItsShape) {
  EXPECT_TRUE(results::dense_problem(0, 3, 4).is_empty());
  EXPECT_FALSE(results::dense_problem(2, 3, 0).is_empty()) << "C is scaled";
  EXPECT_TRUE(results::dense_problem(5, 5, 5).is_square());
  EXPECT_EQ(results::dense_problem(2, 3, 4).size(), "2x3x4");
  for (int64_t results::Problem::* ld :
       {&results::Problem::lda, &results::Problem::ldb, &results::Problem::ldc}) {
    results::Problem p = results::dense_problem(2, 3, 4);
    EXPECT_TRUE(p.is_dense());
    ++(p.*ld);
    EXPECT_FALSE(p.is_dense());
  }
}

}  // namespace
