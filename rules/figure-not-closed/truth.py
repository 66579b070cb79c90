"""pyplot knows each figure until it is closed."""

from truthkit import Notes, drive

COST = "{bad1.growth_host} for each figure of the usual size that pyplot keeps"
ROWS = [("a figure a step, saved", "bad1"), ("saved and closed", "good1")]
SETTING = "6.4 × 4.8 inches at 100 dots an inch, drawn by Agg"
CLAIM = Notes("open", bad=">= 5", good="<= 0", unit="figures")


@drive("save_curves")
def save_curves(block, kit):
    block.plt.close("all")  # those of another run
    for i in kit.steps(10):
        block.save_curves({str(i): [1.0, 0.5]}, kit.folder)
    kit.note("open", len(block.plt.get_fignums()))
    kit.at_end(lambda: block.plt.close("all"))
