from torch.utils.data import DataLoader as DataLoader
from torch.utils.data import default_collate as default_collate
