// The refusal of a command line, for the tests of both programs' command lines.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "app/error.hpp"

/// Returns the message of the usage error that `parse` throws; "nothing was refused" if it throws none.
template <typename Parse>
std::string usage_refusal(const Parse& parse) {
  try {
    parse();
  } catch (const runner::Error& error) {
    EXPECT_EQ(error.code(), runner::ExitCode::usage);
    return error.what();
  }
  return "nothing was refused";
}
