from lightning.pytorch import Callback as Callback
