// Convolutional networks.
#include <fmt/format.h>

#include <cmath>

#include "learning/detail/layered_network.hpp"
#include "learning/layers/activation.hpp"
#include "learning/layers/convolution.hpp"
#include "learning/layers/dense.hpp"
#include "learning/layers/normalization.hpp"
#include "learning/layers/pooling.hpp"
#include "learning/models/model_of.hpp"

namespace convoy::models {
namespace {

using namespace layers;

std::string text_of(const ImageShape& image) {
  return fmt::format("{} x {} x {}", image.channels, image.height, image.width);
}

/// The shape of the images that a model is given.
class ImageOption {
 public:
  void declare(Options& options) {
    options.add("image", image_)
        .at_least(1)
        .at_most(1 << 20)
        .items(3, 3)
        .default_text("one square channel, or three")
        .help("channels, height and width of a sample");
  }

  [[nodiscard]] ImageShape shape(std::size_t inputs) const {
    if (image_) {
      const auto part = [this](std::size_t i) { return static_cast<std::size_t>((*image_)[i]); };
      const ImageShape image{part(0), part(1), part(2)};
      if (image.size() != inputs) {
        refuse_model(fmt::format("image {} has {} values, and a sample of the data has {}", text_of(image),
                                 image.size(), inputs),
                     text_of(image), fmt::format("channels x height x width = {}", inputs));
      }
      return image;
    }
    for (const std::size_t channels : {1U, 3U}) {
      const auto side = static_cast<std::size_t>(
          std::lround(std::sqrt(static_cast<double>(inputs) / static_cast<double>(channels))));
      if (side > 0 && channels * side * side == inputs) return {channels, side, side};
    }
    refuse_model(fmt::format("samples of {} values are no square images of one or three channels", inputs),
                 std::to_string(inputs), "\"image\": [channels, height, width]");
  }

 private:
  std::optional<std::vector<std::int64_t>> image_;
};

std::string joined(const std::vector<std::int64_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, "-"));
}

enum class Pooling { max, average };
enum class Padding { first, same, valid };

/// Convolutions, each with ReLU and a 2 x 2 pooling, then fully connected layers. The defaults on 28 x 28
/// images are LeNet-5 (LeCun et al., Proceedings of the IEEE 86 (1998)) as it is taught today: ReLU, maximum,
/// softmax; 61,706 parameters for ten classes.
class Cnn final : public ModelOf<Cnn> {
 public:
  [[nodiscard]] std::string_view kind() const override { return "cnn"; }
  [[nodiscard]] std::string_view about() const override {
    return "convolutional network in the manner of LeNet-5 (LeCun et al., Proceedings of the IEEE 86, 1998): "
           "convolutions, each with ReLU and 2 x 2 pooling, then fully connected layers with ReLU, softmax, "
           "cross-entropy; He uniform initial weights, Glorot uniform before the softmax";
  }
  void declare(Options& options) override {
    image_.declare(options);
    options.add("filters", filters_)
        .at_least(1)
        .at_most(4096)
        .items(1, 16)
        .help("filters of each convolution");
    options.add("kernel", kernel_).at_least(1).at_most(31).help("height and width of a filter");
    options
        .add("padding", padding_,
             {{"first", Padding::first}, {"same", Padding::same}, {"valid", Padding::valid}})
        .help("zeros around the image: (kernel - 1) / 2 before the first convolution, before each, or none");
    options.add("pooling", pooling_, {{"max", Pooling::max}, {"average", Pooling::average}})
        .help("what remains of each 2 x 2 window");
    options.add("hidden", hidden_)
        .at_least(1)
        .at_most(1 << 20)
        .items(0, 64)
        .help("width of each fully connected layer before the last");
  }
  [[nodiscard]] std::string describe(std::size_t inputs, std::size_t classes) const override {
    return fmt::format("cnn {}, {} filters {} x {}, dense {}{}{}", text_of(image_.shape(inputs)),
                       joined(filters_), kernel_, kernel_, joined(hidden_), hidden_.empty() ? "" : "-",
                       classes);
  }

  template <class T>
  [[nodiscard]] std::unique_ptr<const NeuralNetwork<T>> build(std::size_t inputs, std::size_t classes) const {
    auto body = std::make_unique<Sequential<T>>();
    ImageShape image = image_.shape(inputs);
    const auto side = static_cast<std::size_t>(kernel_);
    for (std::size_t i = 0; i < filters_.size(); ++i) {
      const std::string number = std::to_string(i + 1);
      const bool padded = padding_ == Padding::same || (padding_ == Padding::first && i == 0);
      const Window window{.side = side, .stride = 1, .padding = padded ? (side - 1) / 2 : 0};
      if (window.places(image.height) < 2 || window.places(image.width) < 2) {
        refuse_model(fmt::format("convolution {} of {} x {} and its pooling do not fit what reaches them, {}",
                                 number, kernel_, kernel_, text_of(image)),
                     text_of(image), "fewer or smaller convolutions, or \"padding\": \"same\"");
      }
      const auto& convolution =
          body->template add<Convolution<T>>("conv" + number, image, static_cast<std::size_t>(filters_[i]),
                                             window, Initial::he(image.channels * side * side));
      image = convolution.result();
      body->template add<Relu<T>>("relu", image.size());
      const Window halves{.side = 2, .stride = 2, .padding = 0};
      image = pooling_ == Pooling::max ? body->template add<MaxPool<T>>("pool", image, halves).result()
                                       : body->template add<AveragePool<T>>("pool", image, halves).result();
    }
    std::size_t width = image.size();
    for (std::size_t i = 0; i < hidden_.size(); ++i) {
      const auto next = static_cast<std::size_t>(hidden_[i]);
      body->template add<Dense<T>>("dense" + std::to_string(i + 1),
                                   typename Dense<T>::Shape{.inputs = width, .outputs = next},
                                   Initial::he(width));
      body->template add<Relu<T>>("relu", next);
      width = next;
    }
    body->template add<Dense<T>>("dense" + std::to_string(hidden_.size() + 1),
                                 typename Dense<T>::Shape{.inputs = width, .outputs = classes},
                                 Initial::glorot(width, classes));
    return detail::make_layered_network<T>(std::move(body), {.classes = classes});
  }

 private:
  ImageOption image_;
  std::vector<std::int64_t> filters_{6, 16};
  std::int64_t kernel_ = 5;
  Padding padding_ = Padding::first;
  Pooling pooling_ = Pooling::max;
  std::vector<std::int64_t> hidden_{120, 84};
};

/// The network for small images of He et al. (CVPR 2016, section 4.2) with group norm (Wu and He, ECCV 2018)
/// in place of batch norm, and projections where the shape changes.
class ResNet final : public ModelOf<ResNet> {
 public:
  [[nodiscard]] std::string_view kind() const override { return "resnet"; }
  [[nodiscard]] std::string_view about() const override {
    return "residual network for small images (He et al., CVPR 2016, section 4.2): 3 x 3 convolutions in "
           "blocks of two, half the size and the next width at each stage, global average pooling; group "
           "norm "
           "(Wu and He, ECCV 2018) in place of batch norm, so that workers share no statistics";
  }
  void declare(Options& options) override {
    image_.declare(options);
    options.add("widths", widths_).at_least(1).at_most(4096).items(1, 8).help("channels of each stage");
    options.add("blocks", blocks_).at_least(1).at_most(64).help("residual blocks of each stage");
    options.add("groups", groups_)
        .at_least(1)
        .at_most(4096)
        .help("groups of channels that are normalised together; must divide each width");
    options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
      for (const std::int64_t width : widths_) {
        if (width % groups_ == 0) continue;
        faults.add(whole, path.empty() ? "groups" : path + ".groups",
                   fmt::format("{} groups do not divide a width of {} channels", groups_, width));
      }
    });
  }
  [[nodiscard]] std::string describe(std::size_t inputs, std::size_t classes) const override {
    return fmt::format("resnet-{} {}, widths {}, {} classes",
                       2 * widths_.size() * static_cast<std::size_t>(blocks_) + 2,
                       text_of(image_.shape(inputs)), joined(widths_), classes);
  }

  template <class T>
  [[nodiscard]] std::unique_ptr<const NeuralNetwork<T>> build(std::size_t inputs, std::size_t classes) const {
    auto body = std::make_unique<Sequential<T>>();
    ImageShape image = image_.shape(inputs);
    image = add_convolution(*body, "stem", image, static_cast<std::size_t>(widths_.front()), 3, 1);
    body->template add<Relu<T>>("relu", image.size());
    for (std::size_t stage = 0; stage < widths_.size(); ++stage) {
      for (std::int64_t block = 0; block < blocks_; ++block) {
        const std::size_t stride = stage > 0 && block == 0 ? 2 : 1;
        image = add_block(*body, fmt::format("stage{}.block{}", stage + 1, block + 1), image,
                          static_cast<std::size_t>(widths_[stage]), stride);
      }
    }
    // Height and width may differ by strides of an odd image: a row of it at a time is pooled only if square.
    if (image.height != image.width) {
      refuse_model(fmt::format("global pooling needs a square, not {}", text_of(image)), text_of(image),
                   "square images");
    }
    body->template add<AveragePool<T>>("pool", image,
                                       Window{.side = image.height, .stride = 1, .padding = 0});
    body->template add<Dense<T>>("dense",
                                 typename Dense<T>::Shape{.inputs = image.channels, .outputs = classes},
                                 Initial::glorot(image.channels, classes));
    return detail::make_layered_network<T>(std::move(body), {.classes = classes});
  }

 private:
  /// A convolution without bias, and its normalisation.
  template <class T>
  ImageShape add_convolution(Sequential<T>& body, const std::string& name, ImageShape image,
                             std::size_t filters, std::size_t side, std::size_t stride) const {
    const Window window{.side = side, .stride = stride, .padding = (side - 1) / 2};
    const ImageShape result =
        body.template add<Convolution<T>>(name + ".conv", image, filters, window,
                                          Initial::he(image.channels * side * side), false)
            .result();
    body.template add<GroupNorm<T>>(
        name + ".norm",
        typename GroupNorm<T>::Shape{
            .channels = filters, .pixels = result.pixels(), .groups = static_cast<std::size_t>(groups_)});
    return result;
  }

  template <class T>
  ImageShape add_block(Sequential<T>& body, const std::string& name, ImageShape image, std::size_t width,
                       std::size_t stride) const {
    auto way = std::make_unique<Sequential<T>>();
    const ImageShape between = add_convolution(*way, "1", image, width, 3, stride);
    way->template add<Relu<T>>("relu", between.size());
    const ImageShape result = add_convolution(*way, "2", between, width, 3, 1);
    std::unique_ptr<Sequential<T>> shortcut;
    if (stride != 1 || image.channels != width) {
      shortcut = std::make_unique<Sequential<T>>();
      add_convolution(*shortcut, "project", image, width, 1, stride);
    }
    body.template add<Residual<T>>(name, std::move(way), std::move(shortcut));
    body.template add<Relu<T>>("relu", result.size());
    return result;
  }

  ImageOption image_;
  std::vector<std::int64_t> widths_{16, 32, 64};
  std::int64_t blocks_ = 1;
  std::int64_t groups_ = 8;
};

}  // namespace

VariantMakers<Model> image_models() {
  return {{"cnn", [] { return std::make_unique<Cnn>(); }},
          {"resnet", [] { return std::make_unique<ResNet>(); }}};
}

}  // namespace convoy::models
