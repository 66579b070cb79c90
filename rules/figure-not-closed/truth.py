"""pyplot knows each figure until it is closed."""

from truthkit import Notes, drive

CLAIM = Notes("open", bad=">= 5", good="<= 0", unit="figures")
ROWS = [("six figures, saved", "bad1"), ("six figures, saved and closed", "good1")]


@drive("save_curves")
def save_curves(block, kit):
    block.plt.close("all")  # those of another run
    block.save_curves({str(i): [1.0, 0.5] for i in range(6)}, kit.folder)
    kit.note("open", len(block.plt.get_fignums()))
    kit.at_end(lambda: block.plt.close("all"))
