"""Copies between host and device: there are none on a CPU."""

from truthkit import RunsOnly, drive

CLAIM = RunsOnly("on a CPU nothing is copied; on a GPU the copies hide behind a large model")


@drive("Smoothed")
def smoothed(block, kit):
    block.Smoothed(kit.model)(kit.images())
