#include "lsp/operation.h"

#include <utility>

namespace torchleak::lsp {
namespace {

template <typename Map>
auto FindIn(const Map& map, std::string_view method) {
  const auto found = map.find(method);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

ResponseError InvalidParams(const text::Error& error) {
  return {error_code::kInvalidParams, error.message, nullptr};
}

void Operations::OnRequest(std::string method, RequestHandler handler) {
  requests_[std::move(method)] = std::move(handler);
}

void Operations::OnNotification(std::string method, NotificationHandler handler) {
  notifications_[std::move(method)] = std::move(handler);
}

const RequestHandler* Operations::FindRequest(std::string_view method) const {
  return FindIn(requests_, method);
}

const NotificationHandler* Operations::FindNotification(std::string_view method) const {
  return FindIn(notifications_, method);
}

}  // namespace torchleak::lsp
