from torch.amp import autocast as autocast
from torch.amp import GradScaler as GradScaler
