from lightning.pytorch import LightningModule as LightningModule
from lightning.pytorch import LightningDataModule as LightningDataModule
