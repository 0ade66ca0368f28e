// The figures, read by an XML parser as in any viewer.
#include "lens/svg.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "lens/layout.hpp"
#include "test/lens/requests.hpp"
#include "test/support/shell.hpp"

namespace lens::test {
namespace {

using simulator::test::Outcome;
using simulator::test::TemporaryFolder;

// Returns the answer of a line of Python about the document, whose root is `svg`; S is SVG's
// namespace.
std::string ask(const std::string& document, const std::string& question) {
  const TemporaryFolder folder;
  std::ofstream(folder / "figure.svg") << document;
  std::ofstream(folder / "ask.py") << "import sys, xml.etree.ElementTree as tree\n"
                                      "S = '{http://www.w3.org/2000/svg}'\n"
                                      "svg = tree.parse(sys.argv[1]).getroot()\n"
                                      "print(" +
                                          question + ")\n";
  const Outcome outcome =
      simulator::test::run("PYTHONIOENCODING=utf-8 '" PYTHON "' '" + (folder / "ask.py").string() +
                           "' '" + (folder / "figure.svg").string() + "'");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err << document;
  return outcome.out;
}

// Returns the number of rectangles with this class, or with a fill of their own.
std::string rectangles(const std::string& document, const std::string& with_class) {
  return ask(document,
             "sum(r.get('class', '') == '" + with_class + "' for r in svg.iter(S + 'rect'))");
}

TEST(Svg, IsADocumentWithATitleForThoseWhoHearIt) {
  for (const Request& r : {every_other(), stride_1000(), eight_way(), quarters()}) {
    for (const std::string& document : {svg({r}), svg({r, r}), svg_ribbon(r, 256)}) {
      EXPECT_EQ(ask(document,
                    "svg.tag == S + 'svg', svg.get('role'), svg.get('viewBox')[:9], svg[0].tag == "
                    "S + 'title', svg[1].tag == S + 'desc'"),
                "True img 0 0 1000  True True\n");
    }
  }
  EXPECT_EQ(ask(svg({every_other()}), "svg.find(S + 'desc').text"),
            "ld.global.f32 of A, launch 1, block (3,0,0), warp 2, request 0: 28 lanes ask for 112 "
            "bytes in 7 sectors of 2 lines (224 bytes fetched): 50.0 % used.\n");
}

TEST(Svg, IsRightOnLightAndOnDark) {
  for (const std::string& document : {svg({eight_way()}), svg_ribbon(every_other(), 64)}) {
    const std::string style = ask(document, "svg.find(S + 'style').text");
    const size_t dark = style.find("@media (prefers-color-scheme: dark) {");
    ASSERT_NE(dark, std::string::npos);
    for (const std::string name : {"ink", "soft", "bad", "hollow", "bus", "empty", "collides"}) {
      EXPECT_LT(style.find("\n." + name + " {"), dark) << name;
      EXPECT_GT(style.find("\n  ." + name + " {"), dark) << name;
      EXPECT_NE(style.find("\n  ." + name + " {"), std::string::npos) << name;
    }
    EXPECT_EQ(
        ask(document, "[r.get('class') for r in svg.iter(S + 'rect') if r.get('width') == '1000']"),
        "[]\n")
        << "the background is the slide's";
  }
}

TEST(Svg, DrawsOneSeatForEachWordFetched) {
  const std::string document = svg({every_other()});
  EXPECT_EQ(rectangles(document, "bus"), "7\n") << "a sector each";
  EXPECT_EQ(ask(document, "sum(r.get('class') == 'hollow' for r in svg.iter(S + 'rect'))"), "29\n")
      << "28 words in vain, and one in the legend";
  EXPECT_EQ(ask(document, "sum('fill' in r.attrib for r in svg.iter(S + 'rect'))"), "57\n")
      << "28 lanes, 28 words, the legend";
  EXPECT_EQ(ask(document, "sum(1 for p in svg.iter(S + 'path'))"), "28\n")
      << "from each lane to its word";
}

TEST(Svg, MarksTheWordsThatCollide) {
  EXPECT_EQ(rectangles(svg({eight_way()}), "collides"), "33\n") << "and one in the legend";
  EXPECT_EQ(rectangles(svg({quarters()}), "collides"), "1\n");
}

TEST(Svg, EscapesNames) {
  Request r = every_other();
  r.kernel = "sum<(Kind)1, true && false>";
  r.buffer = "<A>&\"\x01";
  for (const std::string& document : {svg({r}), svg_ribbon(r, 256)}) {
    EXPECT_EQ(ask(document, "[t.text for t in svg.iter(S + 'text')][0]"),
              "sum<(Kind)1, true && false> in copy.cu:6\n");
    EXPECT_NE(ask(document, "svg.find(S + 'desc').text").find("ld.global.f32 of <A>&\" , launch"),
              std::string::npos);
  }
}

TEST(Svg, HasLinesForTheLongestName) {
  Request r = every_other();
  r.kernel = std::string(300, 'k');
  EXPECT_EQ(ask(svg({r}),
                "max(len(t.text) for t in svg.iter(S + 'text') if t.get('class') == 'heading ink') "
                "<= 84"),
            "True\n");
}

// A box of two rows of 32 bytes with a swizzle of 32 bytes, and one that begins elsewhere.
std::vector<Layout> layouts() {
  Layout l{.kernel = "copy<2>",
           .file = "/home/me/copy.cu",
           .line = 7,
           .instruction = "cp.async.bulk.tensor.2d",
           .laid = Laid::loaded_box,
           .start_name = "byte 0 of tile",
           .swizzle = 32,
           .element_bytes = 4,
           .rows = 8,
           .columns = 2,
           .places = {0, 16, 32, 48, 64, 80, 96, 112,  //
                      144, 128, 176, 160, 208, 192, 240, 224}};
  Layout other = l;
  for (uint64_t& place : other.places) place += 4096;
  return {l, other};
}

TEST(Svg, DrawsEachPieceOfALayoutInBothTables) {
  const std::string document = svg_layouts(layouts());
  EXPECT_EQ(ask(document,
                "svg.tag == S + 'svg', svg.get('role'), svg[0].tag == S + 'title', svg[1].tag == S "
                "+ 'desc'"),
            "True img True True\n");
  EXPECT_EQ(ask(document, "sum('fill' in r.attrib for r in svg.iter(S + 'rect'))"), "64\n");
  EXPECT_EQ(rectangles(document, "empty"), "0\n");
  EXPECT_EQ(ask(document, "[t.text for t in svg.iter(S + 'text')][0]"), "copy<2> in copy.cu:7\n");
  // A piece has its column's colour in both tables, so each colour is there for half of the pieces.
  EXPECT_EQ(ask(document,
                "sorted(list(r.get('fill') for r in svg.iter(S + 'rect')).count(c) for c in "
                "{r.get('fill') for r in svg.iter(S + 'rect')})"),
            "[32, 32]\n");
  EXPECT_EQ(
      ask(svg_layouts({layouts()[0]}),
          "[t.text for t in svg.iter(S + 'text') if t.get('class') == 'right small soft'][-2:]"),
      "['byte 0', 'byte 128']\n");
}

TEST(Svg, DrawsTheRibbonsElementsInBothPlaces) {
  const std::string document = svg_ribbon(load([](uint64_t lane) { return 1024 + lane * 4; }), 256);
  EXPECT_EQ(ask(document, "sum('fill' in r.attrib for r in svg.iter(S + 'rect'))"), "64\n");
  EXPECT_EQ(rectangles(document, "bus"), "4\n") << "rows";
}

}  // namespace
}  // namespace lens::test
