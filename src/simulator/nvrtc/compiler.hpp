// Runs simcc.
#pragma once

#include <string>
#include <vector>

namespace simulator::nvrtc {

struct Compiled {
  bool is_ok = false;
  std::string ptx;
  std::string log;
};

/// A header that a program brings with it.
struct Header {
  std::string name, text;
};

/// Compiles a source to PTX. Messages name it `name`. Throws std::runtime_error if simcc cannot be run, or if there is no room for
/// the files.
Compiled compile(const std::string& source, const std::string& name,
                 const std::vector<Header>& headers, const std::vector<std::string>& options);

}  // namespace simulator::nvrtc
