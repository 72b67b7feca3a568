// The main of every test program. With CONVOY_FAST in the environment, cases named "... [slow]" are left out.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  if (std::getenv("CONVOY_FAST") != nullptr) context.addFilter("test-case-exclude", "*[slow]*");
  return context.run();
}
