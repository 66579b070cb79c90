from mmengine.model import BaseModel as BaseModel
