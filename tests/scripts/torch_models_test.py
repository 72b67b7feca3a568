#!/usr/bin/python3
"""Every model's loss and gradient against PyTorch's, at the same parameters and samples, to 1e-5.

PyTorch (Debian's python3-torch) computes in float64 from definitions written here with its own layers; the
build's model_values computes in float64 and in float32. Parameters are random, so that no bias is zero."""
import json
import math
import os
import subprocess
import unittest
from pathlib import Path

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = None

BUILD = Path(os.environ.get("CONVOY_BUILD_DIR", Path(__file__).resolve().parents[2] / "build"))


def ask(**request):
    """What model_values answers; lists may be tensors."""
    told = {key: value.tolist() if hasattr(value, "tolist") else value for key, value in request.items()}
    ended = subprocess.run(
        [BUILD / "bin/model_values"], input=json.dumps(told), capture_output=True, text=True, check=False
    )
    if ended.returncode != 0:
        raise AssertionError(ended.stderr)
    return json.loads(ended.stdout)


class Tensors:
    """Named views of the flat parameters."""

    def __init__(self, flat, layers):
        self.views = {}
        offset = 0
        for layer in layers:
            size = layer["rows"] * layer["cols"]
            view = flat[offset : offset + size]
            self.views[layer["name"]] = view.view(layer["rows"], layer["cols"]) if layer["cols"] > 1 else view
            offset += size

    def __getitem__(self, name):
        return self.views[name]

    def linear(self, name, x):
        weight = self[name + ".weight"]
        bias = self.views.get(name + ".bias")
        return F.linear(x, weight.view(-1, x.shape[-1]), bias)

    def convolution(self, name, x, side, **options):
        weight = self[name + ".weight"].view(-1, x.shape[1], side, side)
        return F.conv2d(x, weight, self.views.get(name + ".bias"), **options)

    def layer_norm(self, name, x):
        return F.layer_norm(x, x.shape[-1:], self[name + ".weight"], self[name + ".bias"], eps=1e-5)

    def group_norm(self, name, x, groups):
        return F.group_norm(x, groups, self[name + ".weight"], self[name + ".bias"], eps=1e-5)


def mlp(model, p, x, _labels):
    hidden = len(model.get("hidden", []))
    for i in range(1, hidden + 1):
        x = F.relu(p.linear(f"dense{i}", x))
    return p.linear(f"dense{hidden + 1}", x)


def cnn(model, p, x, labels):
    channels, height, width = model["image"]
    x = x.view(-1, channels, height, width)
    side = model["kernel"]
    pool = F.max_pool2d if model["pooling"] == "max" else F.avg_pool2d
    for i in range(len(model["filters"])):
        pad = (side - 1) // 2 if model["padding"] == "same" or (model["padding"] == "first" and i == 0) else 0
        x = pool(F.relu(p.convolution(f"conv{i + 1}", x, side, padding=pad)), 2)
    return mlp(model, p, x.flatten(1), labels)


def resnet(model, p, x, _labels):
    channels, height, width = model["image"]
    groups = model["groups"]

    def convolved(name, x, side, stride):
        x = p.convolution(f"{name}.conv", x, side, stride=stride, padding=(side - 1) // 2)
        return p.group_norm(f"{name}.norm", x, groups)

    x = F.relu(convolved("stem", x.view(-1, channels, height, width), 3, 1))
    for stage, filters in enumerate(model["widths"]):
        for block in range(model["blocks"]):
            name = f"stage{stage + 1}.block{block + 1}"
            stride = 2 if stage > 0 and block == 0 else 1
            way = convolved(f"{name}.2", F.relu(convolved(f"{name}.1", x, 3, stride)), 3, 1)
            if stride != 1 or x.shape[1] != filters:
                x = convolved(f"{name}.shortcut.project", x, 1, stride)
            x = F.relu(way + x)
    return p.linear("dense", x.mean(dim=(2, 3)))


def char_gpt(model, p, tokens, _labels):
    tokens = tokens.long()
    x = F.embedding(tokens, p["embedding.weight"]) + p["embedding.position"]
    samples, length, width = x.shape
    heads = model["heads"]
    for i in range(1, model["layers"] + 1):
        qkv = p.linear(f"block{i}.attention.qkv", p.layer_norm(f"block{i}.attention.norm", x))
        q, k, v = (
            part.view(samples, length, heads, width // heads).transpose(1, 2) for part in qkv.split(width, dim=2)
        )
        scores = q @ k.transpose(2, 3) / math.sqrt(width // heads)
        mask = torch.ones(length, length, dtype=torch.bool).triu(1)
        mixed = scores.masked_fill(mask, -math.inf).softmax(dim=3) @ v
        mixed = mixed.transpose(1, 2).reshape(samples, length, width)
        x = x + p.linear(f"block{i}.attention.project", mixed)
        wide = p.linear(f"block{i}.mlp.expand", p.layer_norm(f"block{i}.mlp.norm", x))
        x = x + p.linear(f"block{i}.mlp.project", F.gelu(wide, approximate="tanh"))
    x = p.layer_norm("norm", x)
    return F.linear(x, p["embedding.weight"]) if model["head"] == "tied" else p.linear("head", x)


def char_lstm(model, p, tokens, _labels):
    x = F.embedding(tokens.long(), p["embedding.weight"])
    for i in range(1, model["layers"] + 1):
        width = model["width"]
        lstm = torch.nn.LSTM(x.shape[2], width, batch_first=True, dtype=torch.float64)
        weights = {
            "weight_ih_l0": p[f"lstm{i}.input"].view(4 * width, -1),
            "weight_hh_l0": p[f"lstm{i}.recurrent"].view(4 * width, width),
            "bias_ih_l0": p[f"lstm{i}.bias"],
            "bias_hh_l0": torch.zeros(4 * width, dtype=torch.float64),
        }
        zero = torch.zeros(1, x.shape[0], width, dtype=torch.float64)
        order = [weights[name] for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")]
        x = torch._VF.lstm(x, (zero, zero), order, True, 1, 0.0, lstm.training, False, True)[0]
    return p.linear("head", x)


def linear(model, p, x, labels):
    """Gives the loss itself."""
    z = x @ p["weight"].view(-1) + p["bias"][0]
    y = labels.double()
    loss = 0.5 * F.mse_loss(z, y) if model["kind"] == "linear_regression" else F.binary_cross_entropy_with_logits(z, y)
    return loss + 0.5 * model["l2"] * (p["weight"] ** 2).sum()


CASES = [
    # (definition, model, inputs, classes, samples)
    (linear, {"kind": "linear_regression", "l2": 0.1}, 17, 7, 13),
    (linear, {"kind": "logistic_regression", "l2": 0.1}, 17, 2, 13),
    (mlp, {"kind": "softmax_regression"}, 17, 5, 13),
    (mlp, {"kind": "mlp", "hidden": [32, 9]}, 30, 10, 32),
    (
        cnn,
        {"kind": "cnn", "image": [1, 28, 28], "kernel": 5, "padding": "first", "pooling": "max",
         "filters": [6, 16], "hidden": [120, 84]},
        784, 10, 7,
    ),
    (
        cnn,
        {"kind": "cnn", "image": [3, 12, 10], "kernel": 3, "padding": "same", "pooling": "average",
         "filters": [4, 5], "hidden": []},
        360, 4, 5,
    ),
    (
        cnn,
        {"kind": "cnn", "image": [2, 11, 9], "kernel": 4, "padding": "valid", "pooling": "max",
         "filters": [3], "hidden": [8]},
        198, 3, 4,
    ),
    (
        resnet,
        {"kind": "resnet", "image": [3, 14, 14], "widths": [8, 16, 24], "blocks": 2, "groups": 4},
        588, 10, 3,
    ),
    (char_gpt, {"kind": "char_gpt", "layers": 2, "width": 24, "heads": 3, "context": 19, "head": "tied"}, 19, 11, 4),
    (char_gpt, {"kind": "char_gpt", "layers": 1, "width": 64, "heads": 4, "context": 64, "head": "linear"}, 64, 65, 3),
    (char_lstm, {"kind": "char_lstm", "layers": 2, "width": 12, "embedding": 5, "context": 9}, 9, 7, 6),
]


def factorization(task, p, told):
    ratings = torch.tensor(told["ratings"], dtype=torch.float64).view(-1, 3)
    user, item = ratings[:, 0].long(), ratings[:, 1].long()
    parts = [p["user.factors"][user], p["item.factors"][item], p["user.bias"][user], p["item.bias"][item]]
    error = p["mean"] + (parts[0] * parts[1]).sum(dim=1) + parts[2] + parts[3] - ratings[:, 2]
    penalty = sum((part**2).sum() for part in parts) / len(ratings)
    return 0.5 * (error**2).mean() + 0.5 * task["factorization"]["l2"] * penalty


def sparse(task, p, told):
    entries = torch.tensor(told["entries"], dtype=torch.float64).view(-1, 3)
    labels = torch.tensor(told["labels"])
    shape = (len(labels), task["sparse"]["features"])
    x = torch.sparse_coo_tensor(entries[:, :2].long().T, entries[:, 2], shape)
    return F.cross_entropy(torch.sparse.mm(x, p["weight"]) + p["bias"], labels)


TASKS = [
    (factorization, {"kind": "factorization",
                     "factorization": {"users": 30, "items": 20, "rank": 5, "ratings": 500, "l2": 0.1}}),
    (sparse, {"kind": "sparse", "sparse": {"samples": 300, "features": 120, "classes": 7, "nonzeros": 11}}),
]


@unittest.skipIf(torch is None, "PyTorch is not installed (python3-torch)")
class TorchModels(unittest.TestCase):
    def compare(self, definition, model, inputs, classes, samples):
        shape = {"model": model, "inputs": inputs, "classes": classes}
        layout = ask(**shape)
        size = sum(layer["rows"] * layer["cols"] for layer in layout["layers"])
        generator = torch.Generator().manual_seed(size)
        draw = {"generator": generator, "dtype": torch.float64}
        # Numbers that float32 holds exactly, so that both precisions start from the same point.
        flat = (0.2 * torch.randn(size, **draw)).float().double().requires_grad_()
        if model["kind"].startswith("char_"):
            features = torch.randint(classes, (samples, inputs), generator=generator).double()
        else:
            features = torch.randn(samples, inputs, **draw).float().double()
        labels = torch.randint(classes, (samples * layout["labels_per_sample"],), generator=generator)

        outputs = definition(model, Tensors(flat, layout["layers"]), features, labels)
        loss = outputs if outputs.dim() == 0 else F.cross_entropy(outputs.reshape(-1, classes), labels)
        loss.backward()

        def ours(precision):
            batch = {"features": features.flatten(), "labels": labels}
            return ask(**shape, precision=precision, parameters=flat.detach(), **batch)

        self.check(model, loss, flat.grad, ours, layout["layers"])

    def compare_task(self, definition, task):
        told = ask(task={**task, "batch_size": 1})
        size = sum(layer["rows"] * layer["cols"] for layer in told["layers"])
        generator = torch.Generator().manual_seed(size)
        flat = (0.2 * torch.randn(size, generator=generator, dtype=torch.float64)).float().double().requires_grad_()
        loss = definition(task, Tensors(flat, told["layers"]), told)
        loss.backward()

        def ours(precision):
            return ask(task={**task, "batch_size": 1, "precision": precision}, parameters=flat.detach())

        self.check(task, loss, flat.grad, ours, told["layers"])

    def check(self, what, loss, expected, ours, layers):
        for precision, tolerance in (("float64", 1e-10), ("float32", 1e-5)):
            answer = ours(precision)
            self.assertLess(abs(answer["loss"] / loss.item() - 1), tolerance, (what, precision))
            gradient = torch.tensor(answer["gradient"], dtype=torch.float64)
            error = ((gradient - expected).norm() / expected.norm()).item()
            self.assertLess(error, tolerance, (what, precision))
            offset = 0
            for layer in layers:  # no tensor hides behind a larger one
                end = offset + layer["rows"] * layer["cols"]
                theirs = expected[offset:end]
                error = (gradient[offset:end] - theirs).norm() / (theirs.norm() + 1e-3 * expected.norm())
                self.assertLess(error.item(), 5 * tolerance, (what, precision, layer["name"]))
                offset = end


def add_case(number, case):
    def test(self):
        self.compare(*case)

    setattr(TorchModels, f"test_{case[1]['kind']}_{number}", test)


def add_task(case):
    def test(self):
        self.compare_task(*case)

    setattr(TorchModels, f"test_{case[1]['kind']}", test)


for index, each in enumerate(CASES):
    add_case(index, each)
for each in TASKS:
    add_task(each)

if __name__ == "__main__":
    unittest.main(verbosity=2)
