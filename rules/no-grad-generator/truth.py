"""Is grad off in the loop over the generator?"""

from truthkit import Notes, Raises, drive

CLAIM = Notes("off", bad=">= 1", good="<= 0")


@drive("encoded", "train", claim=Raises("RuntimeError", match="does not require grad"))
def train(block, kit):
    import torch

    encoder, head = kit.mlp(64, 32, 16), kit.mlp(16, 16, 10)
    labels = torch.zeros(8, dtype=torch.long, device=kit.device)
    loader = kit.loader(make=lambda: (kit.tensor(8, 64), labels))
    optimizer = torch.optim.SGD(head.parameters(), lr=0.01)
    kit.call(block.train, head=head, encoder=encoder, loader=loader, optimizer=optimizer)


@drive("encoded")
def encoded(block, kit):
    import torch

    for _ in block.encoded(kit.mlp(64, 32, 16), [(kit.tensor(8, 64), None)]):
        kit.note("off", int(not torch.is_grad_enabled()))
