#include "simulator/message.hpp"

namespace simulator {

std::string Message::text() const {
  std::string text = "simulated GPU: " + what + "\n";
  if (!where.empty()) text += "  at " + where + "\n";
  if (!advice.empty()) text += "  try: " + advice + "\n";
  return text;
}

}  // namespace simulator
