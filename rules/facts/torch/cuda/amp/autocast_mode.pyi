from torch.amp import autocast as autocast
