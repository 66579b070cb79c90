"""pyplot knows each figure until it is closed."""

from truthkit import Notes, drive

CLAIM = Notes("open", bad=">= 5", good="<= 0", unit="figures")


@drive("save_curves")
def save_curves(block, kit):
    block.save_curves({str(i): [1.0, 0.5] for i in range(6)}, kit.folder)
    kit.note("open", len(block.plt.get_fignums()))
