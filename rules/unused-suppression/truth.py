NO_CLAIM = "about comments for torchleak, which change nothing when run"
