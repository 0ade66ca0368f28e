// A message to a person about an error in a program: three lines.
#pragma once

#include <string>

namespace simulator {

/// Each part is one line without a newline. An unknown part is empty, and its line is left out.
struct Message {
  std::string what;    // the error: "As is read while another thread may still write it"
  std::string where;   // "tiled.cu:21 in tiled: thread (5, 0, 0) of block (0, 0, 0), byte 64 of As"
  std::string advice;  // advice: "__syncthreads() between lines 18 and 21"

  /// Returns "simulated GPU: WHAT\n  at WHERE\n  try: ADVICE\n".
  std::string text() const;
};

}  // namespace simulator
