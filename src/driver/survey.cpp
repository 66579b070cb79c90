#include "driver/survey.h"

#include <optional>
#include <utility>

#include "config/options.h"

namespace torchleak::driver {

Survey SurveyOf(const CheckOptions& options, std::size_t most, const std::function<bool()>& stops) {
  Survey survey;
  survey.settings = options.settings;
  DiscoveryOptions part = DiscoveryPart(options);
  const DiscoveryOptions as_set = part;
  part.stops = [&](std::size_t files) { return files > most || stops(); };
  Discovery discovery = Discover(part);
  const std::optional<text::Error> broken = discovery.error;
  if (broken) {
    // One configuration that cannot be read must not hide the other folders.
    part.settings = nullptr;
    const auto excludes = config::DefaultExcludes();
    part.excludes.assign(excludes.begin(), excludes.end());
    discovery = Discover(part);
  }
  survey.too_large = discovery.files.size() > most;
  if (discovery.stopped || survey.too_large) return survey;
  survey.notifications = std::move(discovery.notifications);
  if (broken) survey.notifications.push_back({options.root, broken->message});
  for (const DiscoveredFile& file : discovery.files) {
    Item item{file.path, DisplayPath(file.path, options.root), nullptr, file.size, nullptr};
    if (options.settings != nullptr) {
      auto settings = options.settings->ForFile(file.path);
      // Where they cannot be read, those of the root hold.
      item.settings = settings ? *std::move(settings)
                               : config::SettingsPtr(options.settings, &options.settings->run());
      if (broken && IsExcluded(file.path, as_set)) continue;
    }
    survey.items.push_back(std::move(item));
  }
  // Which rules are selected does not matter here, but for comments that are out of use.
  CheckOptions all = options;
  all.rules.assign(engine::AllRules().begin(), engine::AllRules().end());
  survey.results = CheckEach(all, survey.items);
  return survey;
}

}  // namespace torchleak::driver
