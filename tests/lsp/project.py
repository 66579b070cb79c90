"""The project that the soak edits, and a long training file: written from fixtures/ and from here."""

from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
OPEN_FOLDERS = ["meters", "shared_state", "callers_of_callers", "mixins"]
OPEN_SCRIPTS = ["train_classifier", "finetune", "train_gan", "segmentation_trainer"]
CLOSED_FOLDERS = ["attribute_cleared"]

# What one of them does decides what is found in others.
HELPERS = {
    "helpers.py": '''\
import torch

from scaling import scaled


def record(store, value):
    store.append(value)


def measure(model, batch):
    return scaled(model(batch).mean())


def plain(value):
    return value.item()
''',
    "meter.py": '''\
from helpers import plain


class Meter:
    def __init__(self):
        self.total = 0.0
        self.values = []

    def update(self, value):
        self.total += value
        self.values.append(plain(value))

    def forget(self):
        self.values.clear()
''',
    "train_one.py": '''\
import torch

from helpers import measure, record


def train(model, loader, optimizer):
    losses = []
    for batch in loader:
        optimizer.zero_grad()
        loss = measure(model, batch)
        loss.backward()
        optimizer.step()
        record(losses, loss)
    return losses
''',
    "train_two.py": '''\
import torch

from helpers import measure
from meter import Meter


def epoch(model, loader, optimizer):
    meter = Meter()
    for batch in loader:
        loss = measure(model, batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        meter.update(loss)
    return meter
''',
    "validate.py": '''\
import torch

from train_two import epoch
from train_one import train


def validate(model, loader, optimizer):
    history = {'loss': []}
    meter = epoch(model, loader, optimizer)
    for value in train(model, loader, optimizer):
        history['loss'].append(value)
    with torch.no_grad():
        for batch in loader:
            loss = model(batch).mean()
            history['loss'].append(loss)
    return history, meter.total
''',
}
CLOSED = {"scaling.py": "def scaled(value):\n    return value * 0.5\n"}
CELLS = [
    (1, "# How fast does it learn?"),
    (2, "%matplotlib inline\nimport torch\nfrom helpers import measure, record"),
    (2, "def train(model, loader, optimizer):\n    losses = []\n    for batch in loader:\n"
        "        loss = measure(model, batch)\n        loss.backward()\n        optimizer.step()\n"
        "        record(losses, loss)\n    return losses"),
    (2, "history = []\nfor batch in loader:\n    loss = model(batch).mean()\n    loss.backward()\n"
        "    history.append(loss)\n"),
    (2, "!ls\nprint(history)"),
]


def files():
    """(texts of the files that are opened, those of others), by their path in the project."""
    def of_folder(name):
        folder = FIXTURES / "projects" / name
        return {f"{name}/{path.relative_to(folder).as_posix()}": read(path)
                for path in sorted(folder.rglob("*.py"))}
    opened, closed = dict(HELPERS), dict(CLOSED)
    for name in OPEN_FOLDERS:
        opened |= of_folder(name)
    for name in OPEN_SCRIPTS:
        opened[f"scripts/{name}.py"] = read(FIXTURES / "scripts" / f"{name}.py")
    for name in CLOSED_FOLDERS:
        closed |= of_folder(name)
    closed["torchleak.toml"] = ""  # nothing above the folder counts
    return opened, closed


def read(path):
    return path.read_bytes().decode()


def write(root, texts):
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


STEP = '''
def train_epoch_{n}(model, loader, optimizer, criterion, device, scaler, max_norm=1.0):
    """One pass over the data; gives the mean loss and the accuracy."""
    model.train()
    total_loss, correct, seen = 0.0, 0, 0
    for step, (images, labels) in enumerate(loader):
        images = images.to(device, non_blocking=True)
        labels = labels.to(device, non_blocking=True)
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device_type="cuda", dtype=torch.float16):
            logits = model(images)
            loss = criterion(logits, labels)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        scaler.step(optimizer)
        scaler.update()
        total_loss += loss.item() * images.size(0)
        correct += (logits.argmax(dim=1) == labels).sum().item()
        seen += images.size(0)
        if step % 50 == 0:
            print(f"step {{step}}: loss {{total_loss / seen:.4f}}, accuracy {{correct / seen:.3f}}")
    return total_loss / seen, correct / seen


class Head{n}(nn.Module):
    def __init__(self, features, classes, dropout=0.1):
        super().__init__()
        self.norm = nn.LayerNorm(features)
        self.dropout = nn.Dropout(dropout)
        self.linear = nn.Linear(features, classes)

    def forward(self, x):
        return self.linear(self.dropout(self.norm(x)))


@torch.no_grad()
def evaluate_{n}(model, loader, criterion, device):
    model.eval()
    losses, scores = [], []
    for images, labels in loader:
        logits = model(images.to(device))
        losses.append(criterion(logits, labels.to(device)).item())
        scores.extend(logits.softmax(dim=1).max(dim=1).values.cpu().tolist())
    return sum(losses) / max(len(losses), 1), scores


def run_{n}(model, loaders, optimizer, criterion, device, epochs=10):
    history = []
    scaler = torch.cuda.amp.GradScaler()
    for epoch in range(epochs):
        loss, accuracy = train_epoch_{n}(model, loaders["train"], optimizer, criterion, device, scaler)
        validation, _ = evaluate_{n}(model, loaders["test"], criterion, device)
        history.append({{"epoch": epoch, "loss": loss, "accuracy": accuracy, "test": validation}})
    worst = [max(step["loss"] for step in history), max(step["test"] for step in history)]
    return history, worst
'''


def training_file(lines=2000):
    text, number = "import torch\nfrom torch import nn\n", 0
    while text.count("\n") < lines:
        number += 1
        step = STEP.format(n=number)
        if number % 8 == 0:  # so that there is something to find
            step = step.replace("total_loss += loss.item()", "total_loss += loss")
        text += "\n" + step
    return "".join(text.splitlines(keepends=True)[:lines])
