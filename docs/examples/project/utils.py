class AverageMeter:
    def __init__(self):
        self.sum, self.count = 0, 0

    def update(self, value, n):
        self.sum += value * n
        self.count += n


def accuracy(model, loader):
    model.eval()
    right = 0
    for images, labels in loader:
        right += (model(images).argmax(1) == labels).sum().item()
    return right
