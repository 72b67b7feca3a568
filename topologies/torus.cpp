// Torus of a x b nodes: a grid whose borders are joined. A side of two has one edge, not two. From 3 x 3 on,
// weights are 1/5 and the eigenvalues (1 + 2 cos(2 pi p/a) + 2 cos(2 pi q/b)) / 5.
#include "topologies/graphs.hpp"
#include "topologies/rectangle.hpp"

namespace convoy {

namespace {

class Torus final : public RectangularGraph {
 public:
  [[nodiscard]] std::string_view kind() const override { return "torus"; }

 protected:
  [[nodiscard]] bool wraps() const override { return true; }
};

}  // namespace

std::unique_ptr<GraphBuilder> make_torus() {
  return std::make_unique<Torus>();
}

}  // namespace convoy
