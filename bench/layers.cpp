// Microbenchmarks of single layers over one synthetic training script of a given number of
// functions: for profiling and for comparing two versions of a layer. Whole checks:
// torchleak-bench.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "config/glob.h"
#include "engine/analyze.h"
#include "sema/module.h"
#include "syntax/tree.h"
#include "text/source.h"

namespace torchleak {
namespace {

std::string Script(std::int64_t functions) {
  std::string script = "import torch\nimport torch.nn.functional as F\n";
  for (std::int64_t i = 0; i < functions; ++i) {
    script += fmt::format(R"(

def train_{0}(model, loader, optimizer, epochs=10):
    """Trains for some epochs and gives the mean losses."""
    history, best = [], None
    for epoch in range(epochs):
        model.train()
        total, steps = 0.0, 0
        for inputs, labels in loader:
            optimizer.zero_grad()
            outputs = model(inputs.cuda(non_blocking=True))
            loss = F.cross_entropy(outputs, labels.cuda(), reduction="mean")
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm={0}.5)
            optimizer.step()
            total += loss.item()
            steps += 1
        history.append(total / max(1, steps))
        if best is None or history[-1] < best:
            best = history[-1]
            torch.save({{"model": model.state_dict(), "epoch": epoch}}, f"best_{0}.pt")
    return history
)",
                          i);
  }
  return script;
}

text::Source MakeSource(std::int64_t functions) {
  return *text::Source::FromBytes("bench.py", Script(functions));
}

void Report(benchmark::State& state, const text::Source& source) {
  state.SetBytesProcessed(static_cast<std::int64_t>(source.bytes().size()) *
                          static_cast<std::int64_t>(state.iterations()));
}

void Decode(benchmark::State& state) {
  std::string script = Script(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(text::Source::FromBytes("bench.py", script));
  Report(state, MakeSource(state.range(0)));
}

void Prefilter(benchmark::State& state) {
  text::Source source = MakeSource(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(engine::MayMatter(source.bytes(), engine::AllRules()));
  }
  Report(state, source);
}

void BareParse(benchmark::State& state) {
  text::Source source = MakeSource(state.range(0));
  for (auto _ : state) syntax::ParseOnly(source);
  Report(state, source);
}

void ParseToTable(benchmark::State& state) {
  text::Source source = MakeSource(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(syntax::Parse(source).size());
  Report(state, source);
}

void Sema(benchmark::State& state) {
  text::Source source = MakeSource(state.range(0));
  syntax::Tree tree = syntax::Parse(source);
  for (auto _ : state) benchmark::DoNotOptimize(sema::Analyze(tree).functions().size());
  Report(state, source);
}

void Analyze(benchmark::State& state) {
  text::Source source = MakeSource(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(engine::Analyze(source, engine::AllRules()).findings.size());
  }
  Report(state, source);
}

void GlobMatch(benchmark::State& state) {
  config::Glob glob("src/**/gen_*.py");
  for (auto _ : state) benchmark::DoNotOptimize(glob.Matches("src/package/module/sub/gen_file.py"));
}

BENCHMARK(Decode)->Arg(10)->Arg(1000);
BENCHMARK(Prefilter)->Arg(10)->Arg(1000);
BENCHMARK(BareParse)->Arg(10)->Arg(1000);
BENCHMARK(ParseToTable)->Arg(10)->Arg(1000);
BENCHMARK(Sema)->Arg(10)->Arg(1000);
BENCHMARK(Analyze)->Arg(10)->Arg(1000);
BENCHMARK(GlobMatch);

}  // namespace
}  // namespace torchleak

BENCHMARK_MAIN();
