from torch.utils.tensorboard import SummaryWriter as SummaryWriter
