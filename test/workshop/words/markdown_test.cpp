// The workshop's texts: the sections, fields and blocks that the program finds.
#include "workshop/words/markdown.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using workshop::Document;
using workshop::parse_markdown;
using workshop::Section;

const Document DOCUMENT = parse_markdown(R"(# 2 coalesced: renumbered

Also promised: blocks at least 64 at 256x256x256
Also promised: blocks at most 9 at 8x8x8

## a: the two lines

Known by: ending is wrong_result;
  cause is transposed
Some prose: this is no field.

```cuda
// ## no heading
Known by: no field
  const int row = 0;

```

More prose.

## empty
)",
                                         "made.md");

TEST(Markdown, ATitleAndSectionsWithTheirLines) {
  EXPECT_EQ(DOCUMENT.head.title, "2 coalesced: renumbered");
  ASSERT_EQ(DOCUMENT.sections.size(), 2u);
  EXPECT_EQ(DOCUMENT.sections[0].title, "a: the two lines");
  EXPECT_EQ(DOCUMENT.sections[0].line, 6);
  EXPECT_EQ(DOCUMENT.find("empty"), &DOCUMENT.sections[1]);
  EXPECT_EQ(DOCUMENT.find("none"), nullptr);
  EXPECT_THAT(DOCUMENT.sections[1].text, IsEmpty());
}

TEST(Markdown, FieldsAreLinesOutsideOfBlocksAndMayGoOn) {
  EXPECT_EQ(DOCUMENT.sections[0].field("Known by"), "ending is wrong_result; cause is transposed");
  EXPECT_EQ(DOCUMENT.sections[0].fields("Known by").size(), 1u);
  EXPECT_THAT(DOCUMENT.head.fields("Also promised"),
              ElementsAre("blocks at least 64 at 256x256x256", "blocks at most 9 at 8x8x8"));
  EXPECT_EQ(DOCUMENT.sections[0].field("Hole"), "");
}

TEST(Markdown, BlocksAreAsTheyStand) {
  ASSERT_EQ(DOCUMENT.sections[0].blocks.size(), 1u);
  EXPECT_EQ(DOCUMENT.sections[0].blocks[0].language, "cuda");
  EXPECT_EQ(DOCUMENT.sections[0].blocks[0].text,
            "// ## no heading\nKnown by: no field\n  const int row = 0;\n\n");
}

TEST(Markdown, ProseIsWhatIsNeitherFieldNorBlock) {
  EXPECT_EQ(DOCUMENT.sections[0].prose(), "Some prose: this is no field.\n\n\nMore prose.\n");
}

}  // namespace
