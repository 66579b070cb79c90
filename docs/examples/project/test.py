import torch

from utils import accuracy


def main(model, loader):
    with torch.no_grad():
        print(accuracy(model, loader))
