#include "training/model_part.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/random.hpp"

namespace convoy {
namespace {

/// The layers of `layout` cut to ascending coordinates; a layer that is cut is a vector.
std::shared_ptr<const Layout> cut_layout(const Layout& layout, const std::vector<std::size_t>& coordinates) {
  auto result = std::make_shared<Layout>();
  auto next = coordinates.begin();
  for (const LayerSpan& layer : layout.layers) {
    const auto end = std::lower_bound(next, coordinates.end(), layer.offset + layer.size());
    const auto kept = static_cast<std::size_t>(end - next);
    next = end;
    if (kept == 0) continue;
    if (layer.matrix && kept == layer.size()) {
      result->add_matrix(layer.name, layer.rows, layer.cols);
    } else {
      result->add_vector(layer.name, kept);
    }
  }
  return result;
}

template <class Real>
void gather(const Vector& from, const std::vector<std::size_t>& coordinates, std::span<Real> to) {
  const std::span<const Real> source = from.values<Real>();
  for (std::size_t i = 0; i < coordinates.size(); ++i) to[i] = source[coordinates[i]];
}

template <class Real>
void scatter(const Vector& from, const std::vector<std::size_t>& coordinates, std::span<Real> to) {
  const std::span<const Real> source = from.values<Real>();
  for (std::size_t i = 0; i < coordinates.size(); ++i) to[coordinates[i]] = source[i];
}

}  // namespace

ModelPart ModelPart::fragment(std::int64_t index, std::int64_t count) {
  if (count < 1 || index < 0 || index >= count) throw std::logic_error("no such fragment");
  ModelPart part;
  if (count == 1) return part;
  part.kind_ = Kind::fragment;
  part.index_ = index;
  part.count_ = count;
  return part;
}

ModelPart ModelPart::random(double share, std::uint64_t seed, std::uint64_t round) {
  if (!(share > 0 && share <= 1)) throw std::logic_error("a share lies in (0, 1]");
  ModelPart part;
  if (share == 1) return part;
  part.kind_ = Kind::random;
  part.share_ = share;
  part.seed_ = seed;
  part.round_ = round;
  return part;
}

ModelPart ModelPart::turn(std::int64_t period, std::uint64_t seed, std::uint64_t round) {
  if (period < 1) throw std::logic_error("a period is at least 1");
  ModelPart part;
  if (period == 1) return part;
  part.kind_ = Kind::turn;
  part.count_ = period;
  part.index_ = static_cast<std::int64_t>(round % static_cast<std::uint64_t>(period));
  part.share_ = 1 / static_cast<double>(period);
  part.seed_ = seed;
  return part;
}

std::int64_t ModelPart::number() const {
  switch (kind_) {
    case Kind::whole:
      return 0;
    case Kind::fragment:
    case Kind::turn:
      return index_;
    case Kind::random:
      break;
  }
  return -1;
}

std::vector<std::size_t> ModelPart::coordinates(std::size_t size) const {
  std::vector<std::size_t> result;
  const auto parts = static_cast<std::size_t>(count_), index = static_cast<std::size_t>(index_);
  switch (kind_) {
    case Kind::whole:
      break;
    case Kind::fragment:
      for (std::size_t i = size * index / parts; i < size * (index + 1) / parts; ++i) result.push_back(i);
      break;
    case Kind::turn: {
      const std::uint64_t key = RandomStream(seed_, "model part").bits();
      for (std::size_t i = index; i < size; i += parts) {
        result.push_back(static_cast<std::size_t>(permuted_index(key, size, i)));
      }
      std::sort(result.begin(), result.end());
      break;
    }
    case Kind::random: {
      // Gaps between members of a Bernoulli set are geometric: floor(ln(1 - u) / ln(1 - share)).
      RandomStream stream(seed_, "model part", 0, round_);
      const double scale = 1 / portable_log(1 - share_);
      double at = -1;
      while (true) {
        at += 1 + std::floor(portable_log(1 - stream.uniform()) * scale);
        if (at >= static_cast<double>(size)) break;
        result.push_back(static_cast<std::size_t>(at));
      }
      break;
    }
  }
  return result;
}

ModelPart::Cut ModelPart::cut(const Layout& layout) const {
  Cut result;
  result.coordinates = coordinates(layout.size);
  result.layout = cut_layout(layout, result.coordinates);
  return result;
}

Vector ModelPart::of(const Vector& x) const {
  if (whole() || x.empty()) return x;
  const Cut here = cut(x.layout());
  Vector result(here.layout, x.precision());
  if (x.precision() == Precision::float32) {
    gather<float>(x, here.coordinates, result.mutable_values<float>());
  } else {
    gather<double>(x, here.coordinates, result.mutable_values<double>());
  }
  return result;
}

void ModelPart::write(Vector& x, const Vector& values) const {
  if (whole()) {
    x = values;
    return;
  }
  if (x.empty()) return;
  const std::vector<std::size_t> here = coordinates(x.size());
  if (here.size() != values.size()) throw std::logic_error("the values are of another part");
  if (x.precision() == Precision::float32) {
    scatter<float>(values, here, x.mutable_values<float>());
  } else {
    scatter<double>(values, here, x.mutable_values<double>());
  }
}

WireShape ModelPart::of(const WireShape& shape) const {
  if (whole()) return shape;
  WireShape result = shape;
  if (kind_ != Kind::fragment) {
    for (std::int64_t& elements : result.tensor_elements) {
      elements = static_cast<std::int64_t>(std::ceil(share_ * static_cast<double>(elements)));
    }
    return result;
  }
  const std::int64_t total = shape.elements();
  const auto bound = [&](std::int64_t part) {
    return static_cast<std::int64_t>(static_cast<double>(total) * static_cast<double>(part) /
                                     static_cast<double>(count_));
  };
  const std::int64_t first = bound(index_), last = index_ + 1 == count_ ? total : bound(index_ + 1);
  std::int64_t offset = 0;
  for (std::int64_t& elements : result.tensor_elements) {
    const std::int64_t end = offset + elements;
    elements = std::max<std::int64_t>(0, std::min(end, last) - std::max(offset, first));
    offset = end;
  }
  return result;
}

}  // namespace convoy
