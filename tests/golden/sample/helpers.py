def keep(kept, value):
    kept.append(value)
