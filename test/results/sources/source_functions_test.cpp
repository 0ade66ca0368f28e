// The lines of a source that form a function.
#include "results/sources/source_functions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace results {

// Prints the lines of a failed comparison.
void PrintTo(const FunctionLines& lines, std::ostream* stream) {
  *stream << lines.first << " to " << lines.last;
}

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SourceFunctions, StandInNamespacesAndClasses) {
  EXPECT_THAT(functions_of("namespace a::b {\n"         // 1
                           "namespace {\n"              // 2
                           "void f() {\n"               // 3
                           "  if (x) {\n"               // 4
                           "  }\n"                      // 5
                           "}\n"                        // 6
                           "struct alignas(16) S {\n"   // 7
                           "  int a;\n"                 // 8
                           "  int g() { return a; }\n"  // 9
                           "};\n"                       // 10
                           "extern \"C\" {\n"           // 11
                           "void h(int) {}\n"           // 12
                           "}\n"                        // 13
                           "}\n"                        // 14
                           "}\n"                        // 15
                           "struct S make() {\n"        // 16
                           "}\n"),                      // 17
              ElementsAre(FunctionLines{3, 6}, FunctionLines{9, 9}, FunctionLines{12, 12},
                          FunctionLines{16, 17}));
}

TEST(SourceFunctions, BeginWithTheirTemplate) {
  EXPECT_THAT(functions_of("int a;  // one\n"
                           "// about f\n"
                           "template <typename T>\n"
                           "__global__ void __launch_bounds__(256)\n"
                           "    f(T t) {\n"
                           "  auto g = [&](int i) { return i; };\n"
                           "}\n"
                           "int b;\n"),
              ElementsAre(FunctionLines{3, 7}));
}

TEST(SourceFunctions, AreNotConfusedByBracesInTexts) {
  EXPECT_THAT(functions_of("#define OPEN {{{ \\\n"
                           "  {\n"
                           "/* { */ // {\n"
                           "void f() {\n"
                           "  const char* s = \"{\\\"{\"; char c = '{', d = '\\'';\n"
                           "  int n = 1'000'000; auto r = R\"x({ )\" {)x\";\n"
                           "#if 0  // {\n"
                           "#endif\n"
                           "}\n"
                           "void g() {}\n"),
              ElementsAre(FunctionLines{4, 9}, FunctionLines{10, 10}));
}

TEST(SourceFunctions, EndWithTheFileWhereBracesDoNotMatch) {
  EXPECT_THAT(functions_of("void f() {\n  if (x) {\n}\nvoid g() {\n"),
              ElementsAre(FunctionLines{1, 5}));
  EXPECT_THAT(functions_of("}\n}\nvoid g() {}"), ElementsAre(FunctionLines{3, 3}));
  EXPECT_THAT(functions_of(""), IsEmpty());
  EXPECT_THAT(functions_of("\" /* R\"("), IsEmpty());
}

}  // namespace
}  // namespace results
