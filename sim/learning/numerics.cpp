#include "learning/numerics.hpp"

#include <Eigen/Core>
#include <mutex>

namespace convoy {

void pin_numerics() {
  static std::once_flag once;
  std::call_once(once, [] { Eigen::setCpuCacheSizes(32 << 10, 512 << 10, 8 << 20); });
}

}  // namespace convoy
