#include "learning/data_store.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <system_error>

#include "learning/detail/data_files.hpp"

namespace convoy {

namespace fs = std::filesystem;

struct DataStore::Entry {
  std::mutex mutex;
  std::shared_ptr<const DataSet> data;
  std::shared_ptr<const TextCorpus> text;
};

namespace {

// The files of a data set in the order that DataStore::files returns; each may stand under one of several
// names.
using Names = std::vector<std::string>;

std::vector<Names> file_names(DataKind kind) {
  switch (kind) {
    case DataKind::fashion_mnist:
    case DataKind::mnist:
      return {{"train-images-idx3-ubyte"},
              {"train-labels-idx1-ubyte"},
              {"t10k-images-idx3-ubyte"},
              {"t10k-labels-idx1-ubyte"}};
    case DataKind::idx:
      return {{"train-images-idx3-ubyte", "train-images-idx2-ubyte", "train-images-idx4-ubyte"},
              {"train-labels-idx1-ubyte"},
              {"t10k-images-idx3-ubyte", "test-images-idx3-ubyte", "t10k-images-idx2-ubyte",
               "test-images-idx2-ubyte", "t10k-images-idx4-ubyte", "test-images-idx4-ubyte"},
              {"t10k-labels-idx1-ubyte", "test-labels-idx1-ubyte"}};
    case DataKind::digits:
      return {{"digits.csv"}};
    case DataKind::breast_cancer:
      return {{"breast_cancer.csv"}};
    case DataKind::kjv:
      return {{"kjv.txt"}};
    case DataKind::text:
      return {{".txt"}};
  }
  throw std::logic_error("a data set without files");
}

// What is there at one of the names, plain or with ".gz", in `folder`; `suffix` accepts names that only end
// so.
std::vector<fs::path> matches(const fs::path& folder, const Names& names, bool suffix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const std::string& name : names) {
    for (const char* const ending : {".gz", ""}) {
      if (const fs::path path = folder / (name + ending); fs::exists(path, error)) return {path};
    }
  }
  if (!suffix) return found;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    for (const std::string& wanted : names) {
      if (name.ends_with(wanted) || name.ends_with(wanted + ".gz")) found.push_back(it->path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// MNIST and Fashion-MNIST have the same file names: a folder that holds the files itself is told apart by its
// name.
bool may_hold_directly(const fs::path& folder, DataKind kind) {
  if (kind != DataKind::fashion_mnist && kind != DataKind::mnist) return true;
  const bool is_fashion = folder.filename().string().find("fashion") != std::string::npos;
  return is_fashion == (kind == DataKind::fashion_mnist);
}

std::string listed(const std::vector<fs::path>& paths) {
  std::string text;
  for (const fs::path& path : paths) text += (text.empty() ? "" : ", ") + path.string();
  return text;
}

std::string hint_for(DataKind kind) {
  switch (kind) {
    case DataKind::fashion_mnist:
      return "install Debian's package dataset-fashion-mnist (scripts/setup.sh does), or name the folder of "
             "its files in "
             "\"path\" or CONVOY_DATA";
    case DataKind::digits:
    case DataKind::breast_cancer:
    case DataKind::kjv:
      return "it is shipped in configs/data; name that folder in \"path\" or CONVOY_DATA";
    default:
      return "name the folder of its files in \"path\" or CONVOY_DATA";
  }
}

[[noreturn]] void fail_to_find(DataKind kind, const std::string& what, const std::vector<fs::path>& folders) {
  throw DataError(
      ConfigFault{.path = {},
                  .message = "the data set " + std::string(name_of(kind)) + " is not complete: " + what +
                             (folders.empty() ? "; no folder to look in" : "; looked in " + listed(folders)),
                  .found = {},
                  .allowed = {},
                  .hint = hint_for(kind),
                  .file = {},
                  .line = 0,
                  .column = 0});
}

[[noreturn]] void fail(const fs::path& file, std::string message) {
  throw DataError(ConfigFault{.path = {},
                              .message = std::move(message),
                              .found = {},
                              .allowed = {},
                              .hint = {},
                              .file = file.string(),
                              .line = 0,
                              .column = 0});
}

// The test split of a data set that has one file: every sixth of each class.
void split_test(DataSet& data, Samples all, const fs::path& file) {
  const HeldOut split = hold_out_every(all.labels, data.classes, 6);
  const auto take = [&all](const std::vector<std::uint32_t>& rows, Samples& out) {
    out.features = all.features;
    out.count = rows.size();
    for (const std::uint32_t row : rows) {
      const auto first = static_cast<std::ptrdiff_t>(row * all.features);
      const auto last = static_cast<std::ptrdiff_t>((row + 1) * all.features);
      if (!all.bytes.empty())
        out.bytes.insert(out.bytes.end(), all.bytes.begin() + first, all.bytes.begin() + last);
      if (!all.numbers.empty()) {
        out.numbers.insert(out.numbers.end(), all.numbers.begin() + first, all.numbers.begin() + last);
      }
      out.labels.push_back(all.labels[row]);
    }
  };
  take(split.kept, data.training);
  take(split.held_out, data.test);
  if (data.test.count == 0) {
    fail(file, "too few samples to take every sixth of a class for the test split");
  }
}

// Each feature gets mean 0 and deviation 1 over the training samples; a constant feature becomes 0.
void standardise_features(DataSet& data) {
  for (std::size_t j = 0; j < data.features; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < data.training.count; ++i) {
      sum += static_cast<double>(data.training.numbers[i * data.features + j]);
    }
    const double mean = sum / static_cast<double>(data.training.count);
    double squares = 0;
    for (std::size_t i = 0; i < data.training.count; ++i) {
      const double distance = static_cast<double>(data.training.numbers[i * data.features + j]) - mean;
      squares += distance * distance;
    }
    const double deviation = std::sqrt(squares / static_cast<double>(data.training.count));
    for (Samples* samples : {&data.training, &data.test}) {
      for (std::size_t i = 0; i < samples->count; ++i) {
        float& value = samples->numbers[i * data.features + j];
        value = deviation > 0 ? static_cast<float>((static_cast<double>(value) - mean) / deviation) : 0.0F;
      }
    }
  }
}

void scale_bytes(DataSet& data, double divisor, double mean, double deviation) {
  data.scale = 1 / (divisor * deviation);
  data.shift = -mean / deviation;
}

DataSet read(DataKind kind, const std::vector<fs::path>& files) {
  DataSet data;
  data.kind = kind;
  data.name = name_of(kind);
  switch (kind) {
    case DataKind::fashion_mnist:
    case DataKind::mnist:
    case DataKind::idx: {
      const bool known = kind != DataKind::idx;
      data.training = detail::read_idx(files[0], files[1], known ? 28 * 28 : 0, known ? 10 : 0);
      data.features = data.training.features;
      data.classes = known ? 10
                           : std::size_t{1} +
                                 *std::max_element(data.training.labels.begin(), data.training.labels.end());
      data.test = detail::read_idx(files[2], files[3], data.features, data.classes);
      // Means and deviations over all training pixels, as given with the sets in the field's examples
      // (PyTorch).
      if (kind == DataKind::fashion_mnist) scale_bytes(data, 255, 0.2860, 0.3530);
      if (kind == DataKind::mnist) scale_bytes(data, 255, 0.1307, 0.3081);
      if (kind == DataKind::idx) scale_bytes(data, 255, 0, 1);
      break;
    }
    case DataKind::digits: {
      Samples all = detail::read_digits(files[0]);
      data.features = all.features;
      data.classes = 10;
      split_test(data, std::move(all), files[0]);
      scale_bytes(data, 16, 0, 1);
      break;
    }
    case DataKind::breast_cancer: {
      detail::LabelledNumbers all = detail::read_numbers(files[0]);
      data.features = all.samples.features;
      data.classes = all.classes;
      split_test(data, std::move(all.samples), files[0]);
      standardise_features(data);
      break;
    }
    case DataKind::kjv:
    case DataKind::text:
      throw std::logic_error("a text is no set of labelled samples");
  }
  return data;
}

}  // namespace

DataStore::DataStore(std::vector<fs::path> roots) : roots_(std::move(roots)) {}
DataStore::~DataStore() = default;

std::vector<fs::path> DataStore::files(DataKind kind, const std::optional<std::string>& folder) const {
  std::vector<fs::path> folders;
  if (folder) {
    const fs::path named(*folder);
    if (named.is_absolute()) {
      folders.push_back(named);
    } else {
      for (const fs::path& root : roots_) folders.push_back(root / named);
    }
  } else {
    const std::string name(kind == DataKind::kjv ? "text" : name_of(kind));
    std::string dashed = name;
    std::replace(dashed.begin(), dashed.end(), '_', '-');
    for (const fs::path& root : roots_) {
      folders.push_back(root / name);
      if (dashed != name) folders.push_back(root / dashed);
    }
    for (const fs::path& root : roots_) {
      if (may_hold_directly(root, kind)) folders.push_back(root);
    }
  }
  const std::vector<Names> wanted = file_names(kind);
  const bool any_prefix = kind == DataKind::idx || kind == DataKind::text;
  // The first folder that holds any of the files is the one; the others are no substitute for its gaps.
  for (const fs::path& candidate : folders) {
    std::vector<fs::path> result;
    std::string missing;
    for (const Names& names : wanted) {
      const std::vector<fs::path> found = matches(candidate, names, any_prefix);
      if (found.size() > 1)
        fail_to_find(kind, "several files fit " + names.front() + ": " + listed(found), {candidate});
      if (found.empty()) {
        missing += (missing.empty() ? "" : ", ") + names.front();
      } else {
        result.push_back(found.front());
      }
    }
    if (result.size() == wanted.size()) return result;
    if (!result.empty()) fail_to_find(kind, "missing " + missing, {candidate});
  }
  std::string all;
  for (const Names& names : wanted) all += (all.empty() ? "" : ", ") + names.front();
  fail_to_find(kind, "missing " + all, folders);
}

std::shared_ptr<DataStore::Entry> DataStore::entry(DataKind kind, const fs::path& first) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Entry>& slot = entries_[{kind, first.string()}];
  if (!slot) slot = std::make_shared<Entry>();
  return slot;
}

std::shared_ptr<const DataSet> DataStore::load(DataKind kind, const std::optional<std::string>& folder) {
  const std::vector<fs::path> paths = files(kind, folder);
  const std::shared_ptr<Entry> slot = entry(kind, paths.front());
  const std::lock_guard lock(slot->mutex);
  if (!slot->data) slot->data = std::make_shared<const DataSet>(read(kind, paths));
  return slot->data;
}

std::shared_ptr<const TextCorpus> DataStore::load_text(DataKind kind,
                                                       const std::optional<std::string>& folder) {
  if (!is_text(kind)) throw std::logic_error("a data set that is no text");
  const fs::path path = files(kind, folder).front();
  const std::shared_ptr<Entry> slot = entry(kind, path);
  const std::lock_guard lock(slot->mutex);
  if (!slot->text) {
    const std::string name = kind == DataKind::kjv ? "kjv" : path.filename().string();
    slot->text = std::make_shared<const TextCorpus>(read_text(path, name));
  }
  return slot->text;
}

std::vector<fs::path> default_data_roots(const fs::path& config_folder, const char* environment) {
  std::vector<fs::path> roots;
  if (environment != nullptr && *environment != '\0') roots.emplace_back(environment);
  std::error_code error;
  fs::path folder = fs::weakly_canonical(config_folder, error);
  if (error) folder = config_folder;
  roots.push_back(folder);
  while (true) {
    roots.push_back(folder / "data");
    roots.push_back(folder / "configs" / "data");
    const fs::path parent = folder.parent_path();
    if (parent == folder || parent.empty()) break;
    folder = parent;
  }
  roots.emplace_back("/usr/share/datasets");
  return roots;
}

}  // namespace convoy
