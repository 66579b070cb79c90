from transformers import Trainer as Trainer
