#include "experiment/json_reader.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "core/error.hpp"

using namespace convoy;

namespace {

std::vector<ConfigFault> faults_of(std::string_view text) {
  try {
    (void)read_json_text(text, "a.json");
    return {};
  } catch (const ConfigError& error) {
    return error.faults();
  }
}

/// The one line that a user reads, or "no fault".
std::string fault_of(std::string_view text) {
  const std::vector<ConfigFault> faults = faults_of(text);
  if (faults.empty()) return "no fault";
  CHECK(faults.size() == 1);
  return faults[0].to_string();
}

std::string file_fault_of(const std::string& path) {
  try {
    (void)read_json_file(path);
    return "no fault";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

/// A folder of its own that goes away with the test.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("convoy_json_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, std::string_view text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

void check_position(const Origin& origin, int line, int column) {
  CHECK(*origin.file == "a.json");
  CHECK(origin.line == line);
  CHECK(origin.column == column);
}

}  // namespace

TEST_CASE("every kind of value is read") {
  const Node node = read_json_text(
      R"({"a": null, "b": true, "c": -3, "d": 2.5e3, "e": "x\u00e4\n", "f": [1, []], "g": {}})", "a.json");
  CHECK(node.find("a")->is_null());
  CHECK(node.find("b")->boolean);
  CHECK(node.find("c")->integer == -3);
  CHECK(node.find("c")->number == -3.0);
  CHECK(node.find("d")->kind == Node::Kind::number);
  CHECK(node.find("d")->number == 2500.0);
  CHECK(node.find("e")->text == "x\u00E4\n");
  CHECK(node.find("f")->items.size() == 2);
  CHECK(node.find("g")->is_object());
  CHECK(read_json_text("3", "a.json").integer == 3);
  CHECK(read_json_text("9223372036854775807", "a.json").integer == std::numeric_limits<std::int64_t>::max());
  CHECK(read_json_text("-9223372036854775808", "a.json").integer == std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("members keep the order in which they are written") {
  const Node node = read_json_text(R"({"b": 1, "a": 2})", "a.json");
  CHECK(node.members[0].key == "b");
  CHECK(node.members[1].key == "a");
}

TEST_CASE("every key and value knows its line and column, past comments and strings that look like them") {
  const std::string_view text =
      "// a comment with \"quotes\" and {braces}\n"          // 1
      "{ \"a\" : 1,\n"                                       // 2
      "  /* two\n"                                           // 3
      "     lines */ \"b\": [true, -2.5e3 ,null],\n"         // 4
      "\t\"c // no comment\": \"te\\\"xt\\\\\",\"d\":{},\n"  // 5
      "  \"e\": [\"x\", 12]}\n";                             // 6
  const Node node = read_json_text(text, "a.json");
  check_position(node.origin, 2, 1);
  check_position(node.members[0].key_origin, 2, 3);
  check_position(node.members[0].value.origin, 2, 9);
  check_position(node.members[1].key_origin, 4, 15);
  check_position(node.members[1].value.origin, 4, 20);
  check_position(node.members[1].value.items[0].origin, 4, 21);
  check_position(node.members[1].value.items[1].origin, 4, 27);
  check_position(node.members[1].value.items[2].origin, 4, 35);
  check_position(node.members[2].key_origin, 5, 2);
  check_position(node.members[2].value.origin, 5, 21);
  check_position(node.members[3].key_origin, 5, 32);
  check_position(node.members[3].value.origin, 5, 36);
  check_position(node.members[4].value.items[0].origin, 6, 9);
  check_position(node.members[4].value.items[1].origin, 6, 14);
}

TEST_CASE("a byte order mark, CRLF and a missing final newline change neither values nor positions") {
  const Node plain = read_json_text("{\"hosts\": [\"a\", \"b\"],\n \"n\": 2}\n", "a.json");
  for (const std::string_view text :
       {"\xEF\xBB\xBF{\"hosts\": [\"a\", \"b\"],\n \"n\": 2}\n",
        "{\"hosts\": [\"a\", \"b\"],\r\n \"n\": 2}\r\n", "{\"hosts\": [\"a\", \"b\"],\n \"n\": 2}",
        "\xEF\xBB\xBF{\"hosts\": [\"a\", \"b\"],\r\n \"n\": 2}"}) {
    const Node node = read_json_text(text, "a.json");
    CHECK(node == plain);
    check_position(node.find("hosts")->items[1].origin, 1, 17);
    check_position(node.find("n")->origin, 2, 7);
  }
}

TEST_CASE("a key written twice is a fault naming both lines, and all of them are reported") {
  const auto faults = faults_of("{\"a\": 1,\n \"x\": [0, {\"b\": 2,\n \"b\": 3}],\n \"a\": 2}");
  REQUIRE(faults.size() == 2);
  CHECK(faults[0].to_string() ==
        "a.json:3:2: x[1].b: the key \"b\" is written twice in one object, first in line 2, again in line 3; "
        "remove or "
        "rename one of them");
  CHECK(faults[1].to_string() ==
        "a.json:4:2: a: the key \"a\" is written twice in one object, first in line 1, again in line 4; "
        "remove or "
        "rename one of them");
}

TEST_CASE("one key in two objects is no duplicate") {
  CHECK(faults_of(R"([{"a": 1}, {"a": {"a": 2}}])").empty());
}

TEST_CASE("faults of punctuation say what is too much or missing") {
  CHECK(fault_of("{\"a\": 1,\n}") ==
        "a.json:1:8: a comma before the closing \"}\" (found \",\"); remove the comma");
  CHECK(fault_of("[1, 2,]") ==
        "a.json:1:6: a comma before the closing \"]\" (found \",\"); remove the comma");
  CHECK(fault_of("{\"a\": 1\n \"b\": 2}") == "a.json:2:2: a comma is missing before this (found \"b\")");
  CHECK(fault_of("[1 2]") == "a.json:1:4: a comma is missing before this (found \"2\")");
  CHECK(fault_of("[1,,2]") == "a.json:1:4: a value is missing before the comma (found \",\")");
  CHECK(fault_of("{\"a\": }") == "a.json:1:7: a value is missing here (found \"}\")");
  CHECK(fault_of("{\"a\" 1}") ==
        "a.json:1:6: a \":\" is missing after the key (found \"1\"); write \"key\": value");
  CHECK(fault_of("{\"a\" = 1}") == "a.json:1:6: \"=\" is no sign of JSON; write \":\"");
  CHECK(fault_of("[1; 2]") == "a.json:1:3: \";\" is no sign of JSON; write \",\"");
  CHECK(fault_of("{1: 2}") == "a.json:1:2: a key in double quotes is needed here (found \"1\")");
}

TEST_CASE("brackets that do not match name the one that is open") {
  CHECK(fault_of("{\"a\":\n [1}") ==
        "a.json:2:4: the list that opens at line 2, column 2 is not closed (found \"}\"); close it with "
        "\"]\" first");
  CHECK(fault_of("{\"a\":\n {\"b\": 1\n") ==
        "a.json:3:1: the file ends inside the object that opens at line 2, column 2; close it with \"}\"");
  CHECK(fault_of("]") == "a.json:1:1: nothing is open that this could close (found \"]\"); remove it");
}

TEST_CASE("habits from other languages get the JSON spelling") {
  CHECK(fault_of("{'a': 1}") == "a.json:1:2: texts and keys stand in double quotes (found \"'\")");
  CHECK(fault_of("{a: 1}") == "a.json:1:2: keys stand in double quotes (found \"a\"); write \"a\"");
  CHECK(fault_of("[adamw]") == "a.json:1:2: texts stand in double quotes (found \"adamw\"); write \"adamw\"");
  CHECK(fault_of("[True]") == "a.json:1:2: a word without quotes (found \"True\"); write true");
  CHECK(fault_of("[None]") == "a.json:1:2: a word without quotes (found \"None\"); write null");
  CHECK(fault_of("# comment\n{}") == "a.json:1:1: \"#\" begins no comment; comments begin with //");
  CHECK(fault_of("[\u201Ca\u201D]") ==
        "a.json:1:2: an unexpected character (found \"\u201C\"); texts and keys stand in straight double "
        "quotes");
  CHECK(fault_of("{\"nic\": 100 Gbit/s}") ==
        "a.json:1:13: letters after a number (found \"Gbit\"); a quantity with a unit is a text in double "
        "quotes");
}

TEST_CASE("numbers that JSON or a double does not know are refused") {
  const std::string finite = "numbers are finite in JSON (found ";
  for (const char* word : {"NaN", "Infinity", "inf", "nan", "-Infinity", "-inf"}) {
    CAPTURE(word);
    CHECK(fault_of(std::string("[1, ") + word + "]") ==
          "a.json:1:5: " + finite + "\"" + word + "\"); for \"no limit\" leave the key out");
  }
  CHECK(fault_of("[1e999]") ==
        "a.json:1:2: the number is too large for a double (found \"1e999\"); the largest is about 1.8e308");
  CHECK(fault_of("[1e-999]") ==
        "a.json:1:2: the number is too close to zero for a double; write 0 if zero is meant");
  CHECK(fault_of("[0e-999]") == "no fault");
  const std::string beyond =
      "the integer is beyond 64 bits; the largest is 9223372036854775807; write a large number as 1.5e20, a "
      "quantity "
      "with its unit";
  for (const char* number : {"9223372036854775808", "18446744073709551616", "-9223372036854775809"}) {
    CAPTURE(number);
    CHECK(fault_of(std::string("[\n ") + number + "]") == "a.json:2:2: " + beyond);
  }
  CHECK(fault_of("[+1]") == "a.json:1:2: a number has no plus sign (found \"+1\"); leave the \"+\" out");
  CHECK(fault_of("[.5]") ==
        "a.json:1:2: a number begins with a digit (found \".5\"); write \"0\" before the point");
  CHECK(fault_of("[5.]") ==
        "a.json:1:2: the number is not complete (found \"5.\"); a digit is missing after \"-\", \".\" or "
        "\"e\"");
  CHECK(fault_of("[01]") == "a.json:1:3: a number has no leading zeros (found \"1\")");
}

TEST_CASE("faults inside of texts point at the byte") {
  CHECK(fault_of("[\"abc") == "a.json:1:2: the text that begins here has no closing quote (found \"abc\")");
  CHECK(fault_of("[\"ab\nc\"]") ==
        "a.json:1:2: the text that begins here has no closing quote on its line (found \"ab\"); a line break "
        "inside of a "
        "text is \\n");
  CHECK(fault_of("[\"ab\tc\"]") == "a.json:1:5: a text holds a raw tab; write \\t");
  CHECK(fault_of("[\"ab\x01\"]") == "a.json:1:5: a text holds a raw control character; write \\u0001");
  CHECK(fault_of("[\"C:\\new\\dir\"]") ==
        "a.json:1:10: a text holds a backslash that begins no escape; write \\\\ for a backslash");
  CHECK(fault_of("[\"\\u12\"]") ==
        "a.json:1:7: a text holds a \\u without four hexadecimal digits; write \\\\ for a backslash");
  CHECK(fault_of("[\"\\ud800\"]") ==
        "a.json:1:9: a text holds half of a surrogate pair; write the character itself; the file is UTF-8");
}

TEST_CASE("a file that is no UTF-8 is refused, as the encoding that it seems to be") {
  CHECK(fault_of("{\"a\": \"\xFF\"}") == "a.json:1:8: the bytes here are no UTF-8; save the file as UTF-8");
  CHECK(fault_of("{\"a\": \"\xC3\"}") == "a.json:1:9: the bytes here are no UTF-8; save the file as UTF-8");
  CHECK(fault_of(std::string_view("\xFF\xFE{\0", 4)) == "a.json: the file is UTF-16; save it as UTF-8");
  CHECK(fault_of(std::string_view("{}\n\0x", 5)) ==
        "a.json:2:1: the file holds a zero byte; is this a text file, in UTF-8?");
  CHECK(fault_of("\x1F\x8B\x08") == "a.json: the file is compressed with gzip; unpack it with gunzip");
}

TEST_CASE("comments that do not end or begin are faults") {
  CHECK(fault_of("{} /* x") ==
        "a.json:1:4: the comment that begins here is not closed (found \"/\"); close it with */");
  CHECK(fault_of("[1 / 2]") ==
        "a.json:1:4: a single \"/\" begins no comment; comments are // to the end of the line or /* ... */");
}

TEST_CASE("a file without a value is refused") {
  for (const char* text : {"", "\n", "  // only a comment", "/* nothing */\n"}) {
    CAPTURE(text);
    const std::string fault = fault_of(text);
    CHECK(fault.find("the file holds no value (found the end of the file); write an object, {...}") !=
          std::string::npos);
  }
}

TEST_CASE("text after the value is refused") {
  CHECK(fault_of("{}\nx") ==
        "a.json:2:1: more follows after the end of the value (found \"x\"); a file holds one value");
  CHECK(fault_of("{}{}") ==
        "a.json:1:3: more follows after the end of the value (found \"{\"); a file holds one value");
  CHECK(fault_of("{} // a comment\n") == "no fault");
}

TEST_CASE("10,000 levels of nesting are one fault at the first that is too deep") {
  const std::string fault =
      "a.json:1:101: objects and lists are nested more than 100 deep; a bracket may be missing far above";
  CHECK(fault_of(std::string(10'000, '[')) == fault);
  CHECK(fault_of(std::string(10'000, '[') + std::string(10'000, ']')) == fault);
  std::string objects;
  for (int i = 0; i < 10'000; ++i) objects += "{\"a\":";
  CHECK(fault_of(objects).find("a.json:1:501: objects and lists are nested more than 100 deep") == 0);
  CHECK(fault_of(std::string(100, '[') + std::string(100, ']')) == "no fault");
}

TEST_CASE("what is beyond the bounds of size is one clean fault") {
  CHECK(fault_of("[\"" + std::string(100'000'000, 'x') + "\"]") ==
        "a.json: the file is larger than 64 MB; is this the right file?");
  try {
    (void)read_json_text("[1, 2, 3, 4]", "a.json", {.values = 4});
    FAIL("nothing thrown");
  } catch (const ConfigError& error) {
    CHECK(std::string(error.what()) ==
          "a.json:1:11: the file holds more than 4 values; is this the right file?");
  }
}

TEST_CASE("a large text and many keys are read in one pass") {
  const Node text = read_json_text("\"" + std::string(10'000'000, 'x') + "\"", "a.json");
  CHECK(text.text.size() == 10'000'000);
  std::string object = "{";
  for (int i = 0; i < 100'000; ++i) object += (i > 0 ? ",\n\"k" : "\"k") + std::to_string(i) + "\": 1";
  const Node node = read_json_text(object + "}", "a.json");
  CHECK(node.members.size() == 100'000);
  CHECK(node.members.back().value.origin.line == 100'000);
}

TEST_CASE("a file is read with its name in every origin") {
  const Folder folder;
  const std::string path = folder.write("a.json", "{\"a\": [1]}");
  const Node node = read_json_file(path);
  CHECK(*node.find("a")->items[0].origin.file == path);
  CHECK(node.find("a")->items[0].origin.column == 8);
}

TEST_CASE("a file that is not there names the nearest one that is") {
  const Folder folder;
  (void)folder.write("quickstart.json", "{}");
  CHECK(file_fault_of(folder.file("quikstart.json")) ==
        folder.file("quikstart.json") + ": no such file; did you mean \"quickstart.json\"?");
  CHECK(file_fault_of(folder.file("none/a.json")).find("no such file; there is no folder") !=
        std::string::npos);
  CHECK(file_fault_of("") == "a file is needed, its name is empty");
}

TEST_CASE("a folder, an empty and an unreadable file are refused") {
  const Folder folder;
  CHECK(file_fault_of(folder.file("")) == folder.file("") + ": is a folder, a file is needed");
  const std::string empty = folder.write("empty.json", "");
  CHECK(file_fault_of(empty) ==
        empty + ":1:1: the file holds no value (found the end of the file); write an object, {...}");
  if (::geteuid() != 0) {  // root reads everything
    const std::string closed = folder.write("closed.json", "{}");
    std::filesystem::permissions(closed, std::filesystem::perms::none);
    CHECK(file_fault_of(closed) == closed + ": cannot be read: Permission denied");
  }
}

TEST_CASE("an endless file ends at the bound") {
  if (!std::filesystem::exists("/dev/zero")) return;
  CHECK(file_fault_of("/dev/zero") == "/dev/zero: the file is larger than 64 MB; is this the right file?");
}
