from torch.optim import AdamW as AdamW
