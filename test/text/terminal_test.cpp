#include "text/terminal.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <string>

namespace {

// A terminal of 66 columns, as a program sees it.
class Terminal {
 public:
  Terminal() {
    grantpt(master_);
    unlockpt(master_);
    descriptor_ = open(ptsname(master_), O_RDWR | O_NOCTTY);
    const winsize size{.ws_row = 24, .ws_col = 66, .ws_xpixel = 0, .ws_ypixel = 0};
    ioctl(descriptor_, TIOCSWINSZ, &size);
  }
  ~Terminal() {
    close(descriptor_);
    close(master_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  text::Page page() const { return text::page_of_stream(descriptor_); }

 private:
  int master_ = posix_openpt(O_RDWR | O_NOCTTY);
  int descriptor_ = -1;
};

// Each test sets the variables that it is about.
class PageOfStream : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* variable : {"COLUMNS", "NO_COLOR", "LC_ALL"}) unsetenv(variable);
    setenv("TERM", "xterm", 1);
  }
};

TEST_F(PageOfStream, OfATerminalHasItsWidthAndColour) {
  const Terminal terminal;
  EXPECT_EQ(terminal.page().width, 66);
  EXPECT_TRUE(terminal.page().color);
  unsetenv("TERM");
  EXPECT_TRUE(terminal.page().color);
}

TEST_F(PageOfStream, OfAFileHasNoLimitAndNoColour) {
  const int file = open("/dev/null", O_WRONLY);
  EXPECT_EQ(text::page_of_stream(file).width, 0);
  EXPECT_FALSE(text::page_of_stream(file).color);
  setenv("COLUMNS", "90", 1);
  EXPECT_EQ(text::page_of_stream(file).width, 90);
  close(file);
  EXPECT_EQ(text::page_of_stream(-1).width, 90) << "of one that is closed";
}

TEST_F(PageOfStream, IsAsWideAsColumnsSaysIfThatIsANumber) {
  const Terminal terminal;
  setenv("COLUMNS", "90", 1);
  EXPECT_EQ(terminal.page().width, 90);
  for (const char* nonsense : {"ninety", "90x", "-90", "0", "", "99999999999"}) {
    setenv("COLUMNS", nonsense, 1);
    EXPECT_EQ(terminal.page().width, 66) << nonsense;
  }
}

TEST_F(PageOfStream, IsNotColouredAgainstTheReadersWish) {
  const Terminal terminal;
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(terminal.page().color);
  setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(terminal.page().color) << "an empty one is none";
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(terminal.page().color);
}

TEST_F(PageOfStream, HasTheEnvironmentsEncodingAndLeavesTheProgramsLocale) {
  const Terminal terminal;
  const std::string before = std::setlocale(LC_CTYPE, nullptr);
  setenv("LC_ALL", "C.UTF-8", 1);
  EXPECT_TRUE(terminal.page().unicode);
  EXPECT_EQ(std::setlocale(LC_CTYPE, nullptr), before);
  for (const char* other : {"C", "no_SUCH.locale"}) {
    setenv("LC_ALL", other, 1);
    EXPECT_FALSE(terminal.page().unicode) << other;
  }
}

}  // namespace
