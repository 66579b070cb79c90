from torch.amp import GradScaler as GradScaler
