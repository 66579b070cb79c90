"""A statistic that is renewed with its graph keeps the activations of every step."""

from truthkit import Grows, drive

COST = "{bad2.growth} a step where the loss does not need the statistic; {bad1.growth} where it does, and `backward()` has freed the rest"
ROWS = [
    ("a variance, in place, which the output does not need", "bad2"),
    ("a mean, assigned anew, which it does", "bad1"),
    ("under `torch.no_grad()`", "good1"),
]
SETTING = "behind a perceptron of 1,024, a batch of 64"
CLAIM = Grows(kb=4)


@drive("Norm", has="running_var.mul_", claim=Grows(kb=100))
def in_place(block, kit):
    norm(block, kit)


@drive("Norm")
def norm(block, kit):
    from torch import nn

    layers = nn.Sequential(kit.mlp(1024, 1024, 1024), block.Norm(1024).to(kit.device))
    kit.train(layers, kit.tensor(64, 1024))
