#include "learning/model.hpp"

#include "learning/models/model_of.hpp"

namespace convoy {

VariantMakers<Model> model_makers() {
  VariantMakers<Model> all = models::dense_models();
  all.merge(models::image_models());
  all.merge(models::text_models());
  all.merge(models::regression_models());
  return all;
}

namespace models {

void refuse_model(std::string message, std::string found, std::string allowed) {
  throw ConfigError(ConfigFault{.path = "task.model",
                                .message = std::move(message),
                                .found = std::move(found),
                                .allowed = std::move(allowed),
                                .hint = {},
                                .file = {},
                                .line = 0,
                                .column = 0});
}

}  // namespace models
}  // namespace convoy
