// The one process-wide setting of Convoy.
#pragma once

namespace convoy {

/// Pins the cache sizes that Eigen blocks its matrix products for (32 KiB, 512 KiB, 8 MiB), since the order
/// of addition and with it the bits of a product depend on them. Every part that multiplies matrices calls it
/// first; calling it again costs nothing. Thread-safe.
void pin_numerics();

}  // namespace convoy
