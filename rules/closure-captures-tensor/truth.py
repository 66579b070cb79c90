"""A figure that keeps what is connected to it, until it is disconnected."""

from truthkit import Grows, drive

CLAIM = Grows(kb=500)


@drive("Inspector")
def inspector(block, kit):
    class Canvas:
        def __init__(self):
            self.connected = {}
            self.next = 0

        def mpl_connect(self, event, function):
            self.next += 1
            self.connected[self.next] = function
            return self.next

        def mpl_disconnect(self, cid):
            del self.connected[cid]

    class Figure:
        def __init__(self):
            self.canvas = Canvas()

        def draw(self, image):
            return image

    shown = block.Inspector(Figure())
    for _ in kit.steps():
        shown.show(lambda x: x * 2, kit.tensor(256, 1024))
