#include "core/decimal.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace convoy {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Far beyond every double, and far from overflow when units shift it.
constexpr std::int64_t largest_exponent = 1'000'000;

/// The exponent "e-3" at `at`, or 0 with `at` unmoved if no digit follows the "e".
std::int64_t parse_exponent(std::string_view text, std::size_t& at) {
  std::size_t next = at;
  if (next >= text.size() || (text[next] != 'e' && text[next] != 'E')) return 0;
  ++next;
  const bool negative = next < text.size() && text[next] == '-';
  if (next < text.size() && (text[next] == '-' || text[next] == '+')) ++next;
  if (next >= text.size() || !is_digit(text[next])) return 0;
  std::int64_t exponent = 0;
  for (; next < text.size() && is_digit(text[next]); ++next) {
    exponent = std::min(exponent * 10 + (text[next] - '0'), largest_exponent);
  }
  at = next;
  return negative ? -exponent : exponent;
}

}  // namespace

std::optional<Decimal> Decimal::parse(std::string_view text, std::size_t& used) {
  Decimal result;
  std::size_t at = 0;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) result.negative_ = text[at++] == '-';
  bool any = false;
  bool point = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !point) {
      point = true;
    } else if (is_digit(text[at])) {
      any = true;
      result.digits_ += text[at];
      if (point) --result.exponent_;
    } else {
      break;
    }
  }
  if (!any) return std::nullopt;
  result.exponent_ += parse_exponent(text, at);
  result.trim();
  used = at;
  return result;
}

Decimal& Decimal::shift(std::int64_t power) {
  if (!is_zero()) exponent_ += power;
  return *this;
}

Decimal& Decimal::multiply(std::uint64_t factor) {
  std::uint64_t carry = 0;
  for (auto digit = digits_.rbegin(); digit != digits_.rend(); ++digit) {
    const std::uint64_t product = static_cast<std::uint64_t>(*digit - '0') * factor + carry;
    *digit = static_cast<char>('0' + product % 10);
    carry = product / 10;
  }
  if (carry > 0) digits_.insert(0, std::to_string(carry));
  trim();
  return *this;
}

Decimal& Decimal::divide(std::uint64_t divisor) {
  constexpr std::size_t further_digits = 60;
  std::string quotient;
  std::uint64_t rest = 0;
  const std::size_t given = digits_.size();
  for (std::size_t i = 0; i < given + further_digits && (i < given || rest > 0); ++i) {
    rest = rest * 10 + (i < given ? static_cast<std::uint64_t>(digits_[i] - '0') : 0);
    if (i >= given) --exponent_;
    quotient += static_cast<char>('0' + rest / divisor);
    rest %= divisor;
  }
  if (rest > 0) {
    quotient += '1';
    --exponent_;
  }
  digits_ = std::move(quotient);
  trim();
  return *this;
}

double Decimal::to_double() const {
  if (is_zero()) return 0;
  const std::string text = (negative_ ? "-" : "") + digits_ + "e" + std::to_string(exponent_);
  double result = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error == std::errc()) return result;
  const bool large = exponent_ + static_cast<std::int64_t>(digits_.size()) > 0;
  const double magnitude = large ? std::numeric_limits<double>::infinity() : 0;
  return negative_ ? -magnitude : magnitude;
}

std::optional<std::int64_t> Decimal::round_up() const {
  if (is_zero()) return 0;
  const auto whole = static_cast<std::int64_t>(digits_.size()) + exponent_;  // digits before the point
  if (whole > 19) return std::nullopt;
  std::uint64_t magnitude = 0;
  for (std::int64_t i = 0; i < whole; ++i) {
    const auto at = static_cast<std::size_t>(i);
    magnitude = magnitude * 10 + (at < digits_.size() ? static_cast<std::uint64_t>(digits_[at] - '0') : 0);
  }
  if (exponent_ < 0 && !negative_) ++magnitude;
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (magnitude > largest) return std::nullopt;
  return negative_ ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
}

void Decimal::trim() {
  const std::size_t last = digits_.find_last_not_of('0');
  exponent_ += static_cast<std::int64_t>(digits_.size() - (last + 1));
  digits_.resize(last + 1);
  digits_.erase(0, digits_.find_first_not_of('0'));
  if (digits_.empty()) exponent_ = 0;
}

}  // namespace convoy
