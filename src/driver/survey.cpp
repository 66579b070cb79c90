#include "driver/survey.h"

#include <utility>

namespace torchleak::driver {

Survey SurveyOf(const CheckOptions& options, std::size_t most, const std::function<bool()>& stops) {
  Survey survey;
  survey.settings = options.settings;
  DiscoveryOptions part = DiscoveryPart(options);
  part.stops = [&](std::size_t files) { return files > most || stops(); };
  Discovery discovery = Discover(part);
  survey.too_large = discovery.files.size() > most;
  if (discovery.stopped || survey.too_large) return survey;
  survey.notifications = std::move(discovery.notifications);
  if (discovery.error) {
    survey.notifications.push_back({options.root, discovery.error->message});
  }
  for (const DiscoveredFile& file : discovery.files) {
    Item item{file.path, DisplayPath(file.path, options.root), nullptr, file.size, nullptr};
    if (options.settings != nullptr) {
      auto settings = options.settings->ForFile(file.path);
      if (!settings) {
        survey.notifications.push_back({item.display, settings.error().message});
        continue;
      }
      item.settings = *std::move(settings);
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
