from torch.amp import autocast as autocast
from torch.amp import GradScaler as GradScaler
from torch.amp import custom_fwd as custom_fwd
from torch.amp import custom_bwd as custom_bwd
