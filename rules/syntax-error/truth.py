NO_CLAIM = "about what cannot be parsed: there is nothing to run"
