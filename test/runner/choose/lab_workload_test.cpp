#include "runner/choose/lab_workload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "app/error.hpp"
#include "test/labs/faulty_labs.hpp"

namespace {

using runner::SelectedLab;
using testing::ElementsAre;
using testing::HasSubstr;

const std::array<const lab::Lab*, 2> LABS{&faulty::sound_lab, &faulty::wrong_lab};

std::vector<SelectedLab> select(const std::vector<std::string>& words,
                                const runner::SizeWords& sizes = {}) {
  std::vector<SelectedLab> chosen = runner::select_labs(words, LABS);
  runner::set_sizes(chosen, sizes);
  return chosen;
}

// Returns "sound_lab/plain", ...
std::vector<std::string> names(const std::vector<SelectedLab>& chosen) {
  std::vector<std::string> names;
  for (const SelectedLab& one : chosen) {
    for (const lab::Variant* variant : one.variants)
      names.push_back(std::string(one.of->name) + "/" + variant->name);
  }
  return names;
}

std::string refusal(const std::vector<std::string>& words, const runner::SizeWords& sizes = {}) {
  try {
    select(words, sizes);
  } catch (const runner::Error& error) {
    EXPECT_EQ(error.code(), runner::ExitCode::usage);
    return error.what();
  }
  return "nothing was refused";
}

TEST(SelectLabs, TakesLabsVariantsAndAll) {
  EXPECT_THAT(names(select({"sound_lab"})), ElementsAre("sound_lab/plain", "sound_lab/backwards"));
  EXPECT_THAT(names(select({"Sound_Lab/BACKWARDS"})), ElementsAre("sound_lab/backwards"));
  EXPECT_EQ(names(select({"all"})).size(), 5u);
}

TEST(SelectLabs, TakesEachOnce) {
  EXPECT_THAT(names(select({"wrong_lab/one_word,sound_lab/backwards", "sound_lab/plain",
                            "sound_lab/backwards"})),
              ElementsAre("wrong_lab/one_word", "sound_lab/plain", "sound_lab/backwards"));
}

TEST(SelectLabs, RefusesWhatIsNotThere) {
  EXPECT_THAT(refusal({"sound"}), HasSubstr("there is no lab 'sound'"));
  EXPECT_THAT(refusal({"sonud_lab"}), HasSubstr("did you mean 'sound_lab'?"));
  EXPECT_THAT(refusal({"sound_lab/plian"}),
              HasSubstr("has no variant 'plian': it has plain, backwards; did you mean 'plain'?"));
  EXPECT_THAT(refusal({"sound_lab/"}), HasSubstr("has no variant '': it has plain, backwards"));
  EXPECT_THAT(refusal({"all/plain"}), HasSubstr("there is no lab 'all'"));
  EXPECT_THAT(refusal({"sound_lab,,wrong_lab"}), HasSubstr("a lab's name is empty"));
  EXPECT_THAT(refusal({""}), HasSubstr("a lab's name is empty"));
}

TEST(SelectLabs, GivesEachLabItsSizes) {
  for (const SelectedLab& one : select({"all"}, {{"elements", "77"}}))
    EXPECT_EQ(one.sizes["elements"], 77) << one.of->name;
  EXPECT_EQ(select({"sound_lab"})[0].sizes["elements"], 1024);
}

TEST(SelectLabs, RefusesSizesThatMakeNoSense) {
  EXPECT_THAT(refusal({"sound_lab"}, {{"elements", "0"}}),
              HasSubstr("--elements 0 does not fit: for sound_lab it must be from 1 to 4096"));
  EXPECT_THAT(refusal({"sound_lab"}, {{"elements", "4097"}}), HasSubstr("from 1 to 4096"));
  EXPECT_THAT(refusal({"sound_lab"}, {{"elements", "many"}}),
              HasSubstr("--elements 'many' is not understood: write a whole number"));
  EXPECT_THAT(refusal({"sound_lab"}, {{"rows", "5"}}),
              HasSubstr("--rows is no size of these kernels: sound_lab has --elements"));
}

}  // namespace
