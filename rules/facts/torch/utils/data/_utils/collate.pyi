from torch.utils.data import default_collate as default_collate
