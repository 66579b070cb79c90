#include "cli/progress.h"

#include <doctest/doctest.h>

namespace torchleak::cli {
namespace {

using Phase = driver::Progress::Phase;

TEST_CASE("the line tells the phase and how much is done") {
  CHECK(ProgressText(Phase::kFinding, 0, 0, 79) == "looking for files");
  CHECK(ProgressText(Phase::kReading, 12, 24, 79) ==
        "reading       [============            ] 12/24");
}

TEST_CASE("it never gets wider than the terminal") {
  CHECK(ProgressText(Phase::kAnalyzing, 1000, 2000, 30) == "analysing 1000/2000");
  for (std::size_t width = 0; width < 60; ++width) {
    CHECK(ProgressText(Phase::kAnalyzing, 1, 3, width).size() <= width);
  }
}

TEST_CASE("numbers that were read at different moments do no harm") {
  CHECK(ProgressText(Phase::kReading, 30, 24, 79) ==
        "reading       [========================] 24/24");
}

TEST_CASE("a line that nobody wants has no thread and draws nothing") {
  driver::Progress progress;
  ProgressLine line(&progress, ProgressMode::kNever);
  line.Stop();
  line.Stop();
}

}  // namespace
}  // namespace torchleak::cli
