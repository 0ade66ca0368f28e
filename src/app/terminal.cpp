#include "app/terminal.hpp"

#include <unistd.h>

#include "text/terminal.hpp"

namespace runner {

text::Page stdout_page(When color) {
  text::Page page = text::page_of_stream(STDOUT_FILENO);
  if (color != When::automatic) page.color = color == When::always;
  return page;
}

}  // namespace runner
