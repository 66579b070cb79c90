"""## `del` of locals at the end of `forward`

*Often advised:* set temporaries to `None`, or `del` them, before `forward` returns. They go when it returns in any case;
what autograd needs of them it has saved on its own, and `del` does not take that away.
"""

from truthkit import Grows, SameAs, scenario

PLACE = 4
ROWS = [
    ("peak with `del hidden, scaled` before `return`", "deleted", "peak"),
    ("peak without", "left_alone", "peak"),
    ("growth without", "left_alone", "growth"),
]


def _train(kit, delete):
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(512, 2048), nn.Linear(2048, 512)

        def forward(self, x):
            hidden = torch.relu(self.first(x))
            scaled = hidden * 2
            out = self.second(scaled)
            if delete:
                del hidden, scaled
            return out

    kit.train(Net(), kit.tensor(512, 512))


@scenario(claim=SameAs("peak", within=0.05), against="left_alone")
def deleted(kit):
    _train(kit, True)


@scenario(claim=Grows(mb=1), side="good")
def left_alone(kit):
    _train(kit, False)


SETTING = "a perceptron of 512, 2,048 and 512, batches of 512"
