#include "learning/data_store.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "learning/fixtures.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

// Loads a data set of one folder that is expected to be wrong; returns the text of the error.
std::string fault_of(DataKind kind, const TemporaryFolder& folder) {
  DataStore store;
  try {
    static_cast<void>(store.load(kind, folder.path().string()));
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr char train_images[] = "train-images-idx3-ubyte";
constexpr char train_labels[] = "train-labels-idx1-ubyte";
constexpr char test_images[] = "t10k-images-idx3-ubyte";
constexpr char test_labels[] = "t10k-labels-idx1-ubyte";

// Four images of 2 x 3 pixels with labels 0 1 2 1, one test image.
void write_small_set(const TemporaryFolder& folder) {
  std::string pixels;
  for (int i = 0; i < 24; ++i) pixels.push_back(static_cast<char>(i * 10));
  folder.write(train_images, idx({4, 2, 3}, pixels));
  folder.write(train_labels, idx({4}, std::string("\0\1\2\1", 4)));
  folder.write_gzip(std::string(test_images) + ".gz", idx({1, 2, 3}, pixels.substr(6, 6)));
  folder.write_gzip(std::string(test_labels) + ".gz", idx({1}, std::string("\2", 1)));
}

// A line of 64 pixels and a label.
std::string digits_line(const std::string& pixel, const std::string& label) {
  std::string line;
  for (int i = 0; i < 64; ++i) line += pixel + ",";
  return line + label + "\n";
}

}  // namespace

TEST_CASE("idx files are read plain or compressed and kept as bytes") {
  const TemporaryFolder folder;
  write_small_set(folder);
  DataStore store;
  const auto data = store.load(DataKind::idx, folder.path().string());
  CHECK(data->features == 6);
  CHECK(data->classes == 3);
  CHECK(data->training.count == 4);
  CHECK(data->training.labels == std::vector<std::uint8_t>{0, 1, 2, 1});
  CHECK(data->training.bytes.size() == 24);
  CHECK(data->test.count == 1);
  // Row 1 holds 60 .. 110; "idx" scales by 1 / 255.
  std::vector<double> row(6);
  data->widen(data->training, std::vector<std::uint32_t>{1}, row.data());
  for (int i = 0; i < 6; ++i)
    CHECK(row[static_cast<std::size_t>(i)] == doctest::Approx((60 + 10 * i) / 255.0).epsilon(1e-14));
  CHECK(store.load(DataKind::idx, folder.path().string()) == data);
}

TEST_CASE("each fault of an idx file is named with the file") {
  const auto broken = [](const char* name, const std::string& bytes) {
    const TemporaryFolder folder;
    write_small_set(folder);
    folder.write(name, bytes);
    const std::string fault = fault_of(DataKind::idx, folder);
    CAPTURE(fault);
    CHECK(contains(fault, name));
    return fault;
  };
  const std::string pixels(24, 'x');
  CHECK(contains(broken(train_images, ""), "empty"));
  CHECK(contains(broken(train_images, "abcdefgh"), "not an IDX file"));
  CHECK(contains(broken(train_images, idx({4, 2, 3}, pixels).substr(0, 2)), "cut off"));
  CHECK(contains(broken(train_images, idx({4, 2, 3}, pixels).substr(0, 9)), "cut off"));
  CHECK(contains(broken(train_images, idx({4, 2, 3}, pixels.substr(1))), "cut off"));
  CHECK(contains(broken(train_images, idx({4, 2, 3}, pixels + "x")), "longer"));
  CHECK(contains(broken(train_images, idx({24}, pixels)), "dimensions"));
  CHECK(contains(broken(train_images, idx({0, 2, 3}, "")), "no samples"));
  CHECK(contains(broken(train_images, idx({4, 0, 3}, "")), "dimension 1 of size 0"));
  CHECK(contains(broken(train_labels, idx({3}, "\1\1\1")), "as many labels as images"));
  // A header that lies: 2^32 - 1 images of 2^24 pixels are declared, none are there. No memory is taken for
  // them.
  CHECK(contains(broken(train_images, idx({0xffffffff, 4096, 4096}, pixels)), "cut off"));
  CHECK(contains(broken(train_images, idx({0xffffffff, 0xffffffff, 0xffffffff}, pixels)),
                 "an IDX image must have"));
  std::string floats = idx({4, 2, 3}, pixels);
  floats[2] = 0x0d;
  CHECK(contains(broken(train_images, floats), "unsigned bytes"));
}

TEST_CASE("corrupt or cut off gzip is a fault, not a short data set") {
  const TemporaryFolder folder;
  write_small_set(folder);
  std::filesystem::remove(folder.path() / train_images);
  const std::string name = std::string(train_images) + ".gz";
  std::string values;
  for (int i = 0; i < 6000; ++i) values.push_back(static_cast<char>((i * 7919) % 251));
  const std::string good = bytes_of_file(folder.write_gzip(name, idx({1000, 2, 3}, values)));
  for (const std::size_t keep : {good.size() / 2, good.size() - 9, good.size() - 4, std::size_t{12}}) {
    folder.write(name, good.substr(0, keep));
    const std::string fault = fault_of(DataKind::idx, folder);
    CAPTURE(fault);
    CHECK(contains(fault, name));
    CHECK(contains(fault, "cut off"));
  }
  std::string flipped = good;
  flipped[good.size() / 2] = static_cast<char>(flipped[good.size() / 2] ^ 0x55);
  folder.write(name, flipped);
  const std::string fault = fault_of(DataKind::idx, folder);
  CAPTURE(fault);
  CHECK(contains(fault, name));
  CHECK((contains(fault, "corrupt") || contains(fault, "cut off")));
  std::string wrong_sum = good;
  wrong_sum[good.size() - 6] = static_cast<char>(wrong_sum[good.size() - 6] ^ 1);
  folder.write(name, wrong_sum);
  CHECK(contains(fault_of(DataKind::idx, folder), "corrupt"));
}

TEST_CASE("known sets check the size of images and the range of labels") {
  const TemporaryFolder folder;
  const std::string image(784, 'x');
  const auto write = [&](const std::string& images, const std::string& labels) {
    for (const char* name : {train_images, test_images}) folder.write(name, images);
    for (const char* name : {train_labels, test_labels}) folder.write(name, labels);
  };
  write(idx({1, 28, 28}, image), idx({1}, "\x0a"));
  CHECK(contains(fault_of(DataKind::fashion_mnist, folder), "label 0 is out of range"));
  write(idx({1, 14, 28}, image.substr(0, 392)), idx({1}, "\1"));
  CHECK(contains(fault_of(DataKind::mnist, folder), "wrong size of the images"));
  write(idx({1, 28, 28}, image), idx({1}, "\1"));
  CHECK(fault_of(DataKind::mnist, folder) == "no error");
}

TEST_CASE("a missing file, a folder in its place and a missing folder say what was looked for and where") {
  const TemporaryFolder folder;
  const std::string nothing = fault_of(DataKind::fashion_mnist, folder);
  CHECK(contains(nothing, train_images));
  CHECK(contains(nothing, folder.path().string()));
  CHECK(contains(nothing, "dataset-fashion-mnist"));
  write_small_set(folder);
  std::filesystem::remove(folder.path() / train_labels);
  CHECK(contains(fault_of(DataKind::idx, folder), std::string("missing ") + train_labels));
  std::filesystem::create_directory(folder.path() / train_labels);
  CHECK(contains(fault_of(DataKind::idx, folder), "this is a directory"));
}

TEST_CASE("an idx set may carry its name in front, but only one of it") {
  const TemporaryFolder folder;
  write_small_set(folder);
  for (const char* name : {train_images, train_labels}) {
    std::filesystem::rename(folder.path() / name, folder.path() / (std::string("emnist-balanced-") + name));
  }
  CHECK(fault_of(DataKind::idx, folder) == "no error");
  std::filesystem::copy_file(folder.path() / (std::string("emnist-balanced-") + train_images),
                             folder.path() / (std::string("emnist-letters-") + train_images));
  CHECK(contains(fault_of(DataKind::idx, folder), "several files"));
}

TEST_CASE("the shipped digits load with every sixth of each class as test") {
  DataStore store({shipped_data()});
  const auto data = store.load(DataKind::digits);
  CHECK(data->features == 64);
  CHECK(data->classes == 10);
  CHECK(data->training.count + data->test.count == 1797);
  std::vector<int> test(10, 0);
  std::vector<int> all(10, 0);
  for (const std::uint8_t label : data->test.labels) ++test[label], ++all[label];
  for (const std::uint8_t label : data->training.labels) ++all[label];
  for (std::size_t c = 0; c < 10; ++c) CHECK(test[c] == all[c] / 6);
  // The first line of the file is 0,0,5,13,9,...: x / 16.
  std::vector<float> row(64);
  data->widen(data->training, std::vector<std::uint32_t>{0}, row.data());
  CHECK(row[2] == 5.0F / 16);
  CHECK(row[3] == 13.0F / 16);
  CHECK(data->training.labels[0] == 0);
}

TEST_CASE("the shipped breast cancer data are standardised by their training part") {
  DataStore store({shipped_data()});
  const auto data = store.load(DataKind::breast_cancer);
  CHECK(data->features == 30);
  CHECK(data->classes == 2);
  CHECK(data->training.count + data->test.count == 569);
  for (std::size_t j = 0; j < 30; ++j) {
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < data->training.count; ++i) {
      const auto value = static_cast<double>(data->training.numbers[i * 30 + j]);
      sum += value;
      squares += value * value;
    }
    const auto n = static_cast<double>(data->training.count);
    CHECK(std::abs(sum / n) < 1e-5);
    CHECK(squares / n == doctest::Approx(1).epsilon(1e-4));
  }
}

TEST_CASE("each fault of a text file is named with file and line") {
  const TemporaryFolder folder;
  const std::string good = digits_line("7", "3");
  const auto fault = [&](const std::string& text) {
    folder.write("digits.csv", text);
    return fault_of(DataKind::digits, folder);
  };
  CHECK(fault(good + good + good + good + good + good) == "no error");
  CHECK(contains(fault(good + digits_line("17", "3")), "digits.csv:2: a pixel is out of range"));
  CHECK(contains(fault(good + good + digits_line("7", "10")), "digits.csv:3: the label is out of range"));
  CHECK(contains(fault(digits_line("7x", "3")), "not a number"));
  CHECK(contains(fault(digits_line("", "3")), "not a number"));
  CHECK(contains(fault("1,2,3\n"), "64 values and a label"));
  CHECK(contains(fault("\n\n"), "no samples"));
  CHECK(contains(fault(good + good), "too few samples"));
  folder.write("breast_cancer.csv", "2,2,a,b\n1,2,0\n");
  CHECK(contains(fault_of(DataKind::breast_cancer, folder), "as many samples as the first line declares"));
  folder.write("breast_cancer.csv", "2,2,a,b\n1,2,0\n1,nan,1\n");
  CHECK(contains(fault_of(DataKind::breast_cancer, folder), "breast_cancer.csv:3: not a number"));
  folder.write("breast_cancer.csv", "1,2,a,b\n1,2,2\n");
  CHECK(contains(fault_of(DataKind::breast_cancer, folder), "the label is out of range"));
  folder.write("breast_cancer.csv", "4000000000,4000000000,a,b\n1,2,1\n");
  CHECK(contains(fault_of(DataKind::breast_cancer, folder), "4000000001 fields"));
}

TEST_CASE("windows line ends, blank lines and a missing last line end change nothing") {
  const TemporaryFolder folder;
  DataStore store;
  std::string text;
  for (int i = 0; i < 12; ++i) text += digits_line("7", "3");
  folder.write("digits.csv", text);
  const auto plain = store.load(DataKind::digits, folder.path().string());
  const TemporaryFolder other;
  std::string windows;
  for (const char c : text.substr(0, text.size() - 1)) windows += c == '\n' ? "\r\n\r\n" : std::string(1, c);
  other.write("digits.csv", windows);
  const auto same = store.load(DataKind::digits, other.path().string());
  CHECK(same->training.bytes == plain->training.bytes);
  CHECK(same->test.labels == plain->test.labels);
}

TEST_CASE("threads that ask for the same data get one object") {
  DataStore store({shipped_data()});
  std::vector<std::shared_ptr<const DataSet>> got(8);
  std::vector<std::thread> threads;
  for (auto& slot : got) threads.emplace_back([&store, &slot] { slot = store.load(DataKind::digits); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& slot : got) CHECK(slot == got[0]);
}

TEST_CASE("data are looked for in named folders of each root first, then in the roots") {
  const TemporaryFolder folder;
  const auto put = [&](const char* where) {
    std::filesystem::create_directories(folder.path() / where);
    folder.write(std::string(where) + "/digits.csv", digits_line("7", "3"));
  };
  const DataStore store({folder.path() / "one", folder.path() / "two"});
  CHECK_THROWS_AS(static_cast<void>(store.files(DataKind::digits)), DataError);
  put("two");
  CHECK(store.files(DataKind::digits) == std::vector{folder.path() / "two/digits.csv"});
  put("two/digits");
  CHECK(store.files(DataKind::digits) == std::vector{folder.path() / "two/digits/digits.csv"});
  put("one/mine");
  CHECK(store.files(DataKind::digits, "mine") == std::vector{folder.path() / "one/mine/digits.csv"});
}

TEST_CASE("default roots: the environment, the folders around the config, Debian's data sets") {
  const auto roots = default_data_roots("/a/b/configs/papers", "/env");
  CHECK(roots.front() == "/env");
  CHECK(roots.back() == "/usr/share/datasets");
  CHECK(std::find(roots.begin(), roots.end(), "/a/b/configs/data") != roots.end());
}

TEST_CASE("the last of each class in file order are held out") {
  // 24 of class 0 and 12 of class 1: 2 and 1 are held out, the last ones.
  std::vector<std::uint8_t> labels;
  for (int i = 0; i < 12; ++i) labels.insert(labels.end(), {0, 1, 0});
  const HeldOut split = hold_out_last(labels, 2, 12);
  CHECK(split.held_out == std::vector<std::uint32_t>{33, 34, 35});
  CHECK(split.kept.size() == 33);
}

TEST_CASE("every so many of each class in file order are held out") {
  // Classes 0 1 0 0 1 0 0 1 0: samples 2, 4, 6 of class 0 (rows 2, 5, 8) and sample 2 of class 1 (row 4).
  const std::vector<std::uint8_t> labels{0, 1, 0, 0, 1, 0, 0, 1, 0};
  const HeldOut split = hold_out_every(labels, 2, 2);
  CHECK(split.held_out == std::vector<std::uint32_t>{2, 4, 5, 8});
  CHECK(split.kept == std::vector<std::uint32_t>{0, 1, 3, 6, 7});
}

TEST_CASE("fashion_mnist is what Debian's package installs") {
  DataStore store({"/usr/share/datasets"});
  std::shared_ptr<const DataSet> data;
  try {
    data = store.load(DataKind::fashion_mnist);
  } catch (const DataError& error) {
    MESSAGE("skipped: " << error.what());
    return;
  }
  CHECK(data->training.count == 60000);
  CHECK(data->test.count == 10000);
  CHECK(data->features == 784);
  // 1/12 of 6,000 of each class.
  const HeldOut split = hold_out_last(data->training.labels, 10, 12);
  CHECK(split.kept.size() == 55000);
  std::vector<int> counts(10, 0);
  for (const std::uint32_t row : split.held_out) ++counts[data->training.labels[row]];
  CHECK(counts == std::vector<int>(10, 500));
  // Standardised: mean 0 and deviation 1 over all training pixels.
  double sum = 0;
  double squares = 0;
  for (const std::uint8_t byte : data->training.bytes) {
    const double value = byte * data->scale + data->shift;
    sum += value;
    squares += value * value;
  }
  const auto n = static_cast<double>(data->training.bytes.size());
  CHECK(std::abs(sum / n) < 1e-3);
  CHECK(squares / n == doctest::Approx(1).epsilon(1e-3));
}
