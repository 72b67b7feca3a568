// Says what is missing on a CPU that cannot run this binary, before any of its code does.
#include "cli/cpu_check.hpp"

#include <unistd.h>

#include <cstring>
#include <initializer_list>

namespace convoy::cli {
namespace {

void say(const char* text) {
  const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(written);
}

}  // namespace

std::size_t missing_cpu_features(const char** names) {
  std::size_t count = 0;
  const auto need = [&](bool present, const char* name) {
    if (!present) names[count++] = name;
  };
  __builtin_cpu_init();
  need(__builtin_cpu_supports("avx"), "AVX");
  need(__builtin_cpu_supports("avx2"), "AVX2");
  need(__builtin_cpu_supports("fma"), "FMA");
  need(__builtin_cpu_supports("bmi"), "BMI1");
  need(__builtin_cpu_supports("bmi2"), "BMI2");
  return count;
}

#ifdef CONVOY_NEEDS_X86_64_V3
/// Runs before the initialisers of all other files, whose code may already need the features.
__attribute__((constructor(101))) static void check_cpu() {
  const char* names[cpu_features];
  const std::size_t count = missing_cpu_features(names);
  if (count == 0) return;
  say("sim: this binary is built for x86-64-v3, and this CPU has no ");
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) say(", ");
    say(names[i]);
  }
  say("; build with -DCONVOY_BASELINE=ON\n");
  ::_exit(2);
}
#endif

}  // namespace convoy::cli
