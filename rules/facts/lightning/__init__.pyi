from lightning.pytorch import *
from lightning.fabric import Fabric as Fabric
