from lightning.pytorch import LightningModule as LightningModule
