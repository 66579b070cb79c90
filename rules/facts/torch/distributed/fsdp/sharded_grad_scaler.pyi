from torch.amp import GradScaler as ShardedGradScaler
