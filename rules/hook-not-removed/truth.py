"""Each call leaves one more hook on the module, and every forward runs all of them."""

from truthkit import Notes, drive

COST = "one more hook with each call: {bad1} after as many steps, and every forward calls all of them"
CLAIM = Notes("hooks", bad=">= 6", good="<= 1", unit="hooks")


def _count(kit, layer):
    kit.at_end(lambda: kit.note("hooks", len(layer._forward_hooks) + len(layer._forward_pre_hooks)))


@drive("collect")
def collect(block, kit):
    _count(kit, kit.layer)
    kit.call(block.collect)


@drive("features_of")
def features_of(block, kit):
    _count(kit, kit.layer)
    for _ in kit.steps():
        kit.call(block.features_of)


@drive("Probe")
def probe(block, kit):
    body = kit.mlp(64, 64, 64)
    _count(kit, body)
    kit.train(block.Probe(body), kit.tensor(8, 64))


@drive("Recorder")
def recorder(block, kit):
    _count(kit, kit.layer)
    for _ in kit.steps():
        recorder = block.Recorder(kit.model)
        kit.model(kit.images())
        recorder.close()


@drive("Clamped")
def clamped(block, kit):
    module = block.Clamped()
    _count(kit, module.layer)
    kit.train(module)


@drive("train")
def train(block, kit):
    _count(kit, kit.layer)
    kit.call(block.train)
