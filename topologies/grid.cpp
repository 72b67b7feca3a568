// Grid of a x b nodes. With max_degree weights (1/5 from 3 x 3 on) the eigenvalues are
// 1 - (4 - 2 cos(pi p/a) - 2 cos(pi q/b)) / 5.
#include "topologies/graphs.hpp"
#include "topologies/rectangle.hpp"

namespace convoy {

namespace {

class Grid final : public RectangularGraph {
 public:
  [[nodiscard]] std::string_view kind() const override { return "grid"; }

 protected:
  [[nodiscard]] bool wraps() const override { return false; }
};

}  // namespace

std::unique_ptr<GraphBuilder> make_grid() {
  return std::make_unique<Grid>();
}

}  // namespace convoy
