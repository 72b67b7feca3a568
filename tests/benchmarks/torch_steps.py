#!/usr/bin/python3
"""Processor time of a training step (forward, backward, plain SGD) in PyTorch, one thread: for tests/benchmarks/learning.

Prints "name microseconds" a line: the least mean over rounds of steps. The first line is "blas" and the library that
computes matrix products: Debian's reference BLAS is several times slower than OpenBLAS (libopenblas0-serial), so only
with the latter is it a comparison. Without PyTorch it prints nothing."""
import sys
import time
from pathlib import Path

try:
    import torch
    import torch.nn.functional as F
    from torch import nn
except ImportError:
    sys.exit(0)

torch.set_num_threads(1)
torch.manual_seed(0)


class Attention(nn.Module):
    def __init__(self, width, heads, length):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        self.register_buffer("mask", torch.ones(length, length, dtype=torch.bool).triu(1))

    def forward(self, x):
        n, t, c = x.shape
        q, k, v = (z.view(n, t, self.heads, c // self.heads).transpose(1, 2) for z in self.qkv(x).split(c, dim=2))
        scores = (q @ k.transpose(2, 3)) * (c // self.heads) ** -0.5
        mixed = scores.masked_fill(self.mask, float("-inf")).softmax(dim=3) @ v
        return self.project(mixed.transpose(1, 2).reshape(n, t, c))


class Block(nn.Module):
    def __init__(self, width, heads, length):
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.attention = Attention(width, heads, length)
        self.mlp_norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width)
        )

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.mlp(self.mlp_norm(x))


class Gpt(nn.Module):
    def __init__(self, vocabulary=65, width=64, heads=4, layers=2, length=64):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Parameter(0.02 * torch.randn(length, width))
        self.body = nn.Sequential(*[Block(width, heads, length) for _ in range(layers)], nn.LayerNorm(width))
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        return self.head(self.body(self.tokens(tokens) + self.positions)).flatten(0, 1)


class Lstm(nn.Module):
    def __init__(self, vocabulary=65, embedding=8, width=256):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, embedding)
        self.lstm = nn.LSTM(embedding, width, 2, batch_first=True)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        return self.head(self.lstm(self.tokens(tokens))[0]).flatten(0, 1)


def lenet():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    )


def measure(name, model, inputs, labels, rounds):
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)

    def step():
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(model(inputs), labels).backward()
        optimizer.step()

    step()
    start = time.process_time()
    step()
    steps = max(1, int(0.05 / max(1e-6, time.process_time() - start)))
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(steps):
            step()
        best = min(best, (time.process_time() - start) / steps)
    print(name, 1e6 * best, flush=True)


def blas():
    """The library that is mapped for libblas."""
    with open("/proc/self/maps", encoding="ascii") as maps:
        files = {line.split()[-1] for line in maps if "/" in line}
    names = [Path(file).name for file in files]
    return next((name for word in ("openblas", "mkl_rt", "blis", "libblas") for name in names if word in name), "none")


def main():
    print("blas", blas(), flush=True)
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    labels = torch.randint(10, (32,))
    measure("softmax", nn.Linear(64, 10), torch.randn(32, 64), labels, rounds)
    mlp = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
    measure("mlp", mlp, torch.randn(32, 784), labels, rounds)
    measure("cnn", lenet(), torch.randn(32, 1, 28, 28), labels, rounds)
    text = torch.randint(65, (16, 64))
    following = torch.randint(65, (16 * 64,))
    gpt = Gpt()
    assert sum(p.numel() for p in gpt.parameters()) == 112577
    measure("char_gpt", gpt, text, following, rounds)
    measure("char_lstm", Lstm(), text, following, rounds)


main()
