from lightning.pytorch import Trainer as Trainer
