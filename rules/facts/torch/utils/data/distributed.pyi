from torch.utils.data import DistributedSampler as DistributedSampler
