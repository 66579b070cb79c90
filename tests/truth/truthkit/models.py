"""The networks that blocks are run with: ResNet-50 on a GPU, something small of the same kind on the CPU."""

from __future__ import annotations

import torch
from torch import nn


class Bottleneck(nn.Module):
    def __init__(self, inside: int, width: int, stride: int) -> None:
        super().__init__()
        outside = 4 * width
        self.body = nn.Sequential(
            nn.Conv2d(inside, width, 1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.Conv2d(width, width, 3, stride, 1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.Conv2d(width, outside, 1, bias=False),
            nn.BatchNorm2d(outside),
        )
        self.shortcut = nn.Identity()
        if stride != 1 or inside != outside:
            self.shortcut = nn.Sequential(nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside))
        self.end = nn.ReLU(inplace=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.end(self.body(x) + self.shortcut(x))


def resnet50(classes: int) -> nn.Sequential:
    """The layers of the well-known one, as a Sequential."""
    layers: list[nn.Module] = [
        nn.Conv2d(3, 64, 7, 2, 3, bias=False),
        nn.BatchNorm2d(64),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, 2, 1),
    ]
    inside = 64
    for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(count):
            layers.append(Bottleneck(inside, width, stride if i == 0 else 1))
            inside = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inside, classes))


def small(classes: int) -> nn.Sequential:
    """Four convolutions of 16 channels: large activations for little work."""
    layers: list[nn.Module] = []
    inside = 3
    for _ in range(4):
        layers += [nn.Conv2d(inside, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU()]
        inside = 16
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, classes))


def decoder(classes: int, shape: tuple[int, ...]) -> nn.Sequential:
    """From images to images, with the activations of a few convolutions."""
    return nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 3, 3, padding=1))


def perceptron(inside: int, hidden: int, classes: int, depth: int = 3) -> nn.Sequential:
    layers: list[nn.Module] = []
    for _ in range(depth - 1):
        layers += [nn.Linear(inside, hidden), nn.ReLU()]
        inside = hidden
    return nn.Sequential(*layers, nn.Linear(inside, classes))
