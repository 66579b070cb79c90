#include "report/gzip_size.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace torchleak::report {
namespace {

TEST_CASE("the estimate lies above what gzip -6 makes, and not far above") {
  struct Known {
    std::string text;
    std::size_t gzip;  // gzip -6 -n | wc -c
  };
  std::string rows;
  for (int i = 0; i < 20'000; ++i) rows += "{\"line\": " + std::to_string(i * 37 % 1000) + "},\n";
  std::string noise;
  std::uint32_t state = 1;
  for (int i = 0; i < 50'000; ++i) {
    state = state * 1'664'525 + 1'013'904'223;
    noise.push_back(static_cast<char>(state >> 24));
  }
  const Known known[] = {
      {"", 20}, {std::string(1'000'000, 'a'), 1004}, {rows, 6397}, {noise, 50038}};
  for (const Known& k : known) {
    const std::size_t estimate = GzipSize(k.text);
    CAPTURE(k.text.size());
    CHECK(estimate >= k.gzip);
    CHECK(estimate <= k.gzip * 3 / 2 + 300);
  }
}

}  // namespace
}  // namespace torchleak::report
