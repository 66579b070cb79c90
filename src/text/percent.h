// Percent-encoding of paths for URIs (RFC 3986).
#pragma once

#include <string>
#include <string_view>

namespace torchleak::text {

// Unreserved characters and the slash stay, everything else becomes %XX. A colon must not stay: in
// the first segment of a relative reference it would end a scheme.
std::string PercentEncoded(std::string_view path);

}  // namespace torchleak::text
