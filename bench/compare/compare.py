#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
libfly and its peers on one GPU, in turn, in one process: PyTorch eager, torch.compile and, as the ceiling, a
device copy of the same bytes. Numbers are checked against double precision before anything is timed; buffers
rotate over at least a gigabyte, so nothing is timed from cache; launches are replayed from a graph, so host
time is not part of it. Prints a table; --out DIR saves it as compare.csv with a plot an operation.

    compare.py --lib build/lib/libfly.so [--ops layernorm,softmax] [--dtype bf16] [--suite small] [--out DIR]
"""
import argparse
import csv
import os
import statistics
import sys

import torch
import torch.nn.functional as nnf

import fly
import plot

DTYPES = {"f32": (torch.float32, fly.F32), "f16": (torch.float16, fly.F16), "bf16": (torch.bfloat16, fly.BF16)}
SHAPES = [(65536, 128), (65536, 512), (32768, 1024), (16384, 4096), (8192, 8192), (4096, 16384), (2048, 32768),
          (1024, 65536), (4096, 769), (4096, 3001), (4096, 5000), (256, 4096), (16, 8192)]
SMALL = [(65536, 128), (8192, 8192), (4096, 769), (16, 8192)]
ROTATE_BYTES = 1 << 30
U = 2.0 ** -24


def ptr(t):
    return None if t is None else t.data_ptr()


def ulp(dtype, v):
    """Spacing of the dtype at |v|."""
    bits = {torch.float32: 23, torch.float16: 10, torch.bfloat16: 7}[dtype]
    low = {torch.float32: -126, torch.float16: -14, torch.bfloat16: -126}[dtype]
    exponent = torch.frexp(v.abs())[1] - 1
    return torch.ldexp(torch.ones_like(v), exponent.clamp(min=low) - bits)


def fraction(got, exact, s):
    """Largest |error| as a fraction of 1/2 ulp + 8 u S."""
    if got.dtype == torch.int8:
        bound = 0.5 + 8 * U * s
    elif got.dtype == torch.float8_e4m3fn:
        exponent = (torch.frexp(exact.abs())[1] - 1).clamp(min=-6)
        bound = torch.ldexp(torch.full_like(exact, 0.5), exponent - 3) + 8 * U * s
    else:
        bound = 0.5 * ulp(got.dtype, exact) + 8 * U * s
    return ((got.double() - exact).abs() / bound).max().item()


class Case:
    """One operation at one shape: a set of buffers, libfly's call on it, the peers' functions, the bytes that
    must move, and the check."""

    def __init__(self, rows, cols, dtype, quant=None):
        self.rows, self.cols = rows, cols
        self.torch_type, self.type = DTYPES[dtype]
        self.quant = quant

    def rand(self, *shape):
        return torch.randn(*shape, device="cuda", dtype=torch.float32).to(self.torch_type)

    def params(self):
        self.gamma, self.beta = self.rand(self.cols), self.rand(self.cols)

    def matrix(self):
        return self.rand(self.rows, self.cols)

    def empty(self, dtype=None):
        t = torch.empty(self.rows, self.cols, device="cuda", dtype=dtype or self.torch_type)
        t.view(torch.uint8).fill_(0xff)
        return t

    def unit(self):
        return self.rows * self.cols * self.torch_type.itemsize


class LayerNorm(Case):
    kind, adds = fly.LayerNorm, False

    def buffers(self):
        b = {"x": self.matrix(), "y": self.empty()}
        if self.adds:
            b.update(residual=self.matrix(), residual_out=self.empty())
        return b

    def fields(self, b):
        f = dict(rows=self.rows, cols=self.cols, x=ptr(b["x"]), y=ptr(b["y"]), gamma=ptr(self.gamma), eps=1e-5,
                 dtype=self.type, residual=ptr(b.get("residual")), residual_out=ptr(b.get("residual_out")))
        if self.kind is fly.LayerNorm:
            f["beta"] = ptr(self.beta)
        return f

    def bytes(self):
        return self.unit() * (4 if self.adds else 2)

    def norm(self, x):
        return nnf.layer_norm(x, (self.cols,), self.gamma, self.beta, 1e-5)

    def peer(self, b):
        if not self.adds:
            return self.norm(b["x"])
        s = b["x"] + b["residual"]
        return self.norm(s), s

    def check(self, b):
        x = b["x"].double()
        if self.adds:
            x = (b["x"].float() + b["residual"].float()).to(self.torch_type).double()
            assert torch.equal(x.to(self.torch_type), b["residual_out"]), "residual_out differs"
        y, s = self.exact(x)
        return fraction(b["y"], y, s)

    def exact(self, x):
        d = x - x.mean(1, keepdim=True)
        y = d * torch.rsqrt((d * d).mean(1, keepdim=True) + 1e-5) * self.gamma.double()
        return y + self.beta.double(), y.abs() + self.beta.double().abs()


class LayerNormAdd(LayerNorm):
    adds = True


class RmsNorm(LayerNorm):
    kind = fly.RmsNorm

    def norm(self, x):
        return nnf.rms_norm(x, (self.cols,), self.gamma, 1e-5)

    def exact(self, x):
        y = x * torch.rsqrt((x * x).mean(1, keepdim=True) + 1e-5) * self.gamma.double()
        return y, y.abs()


class RmsNormAdd(RmsNorm):
    adds = True


class RmsNormQuant(RmsNorm):
    """int8 output with a scale a row."""
    out = torch.int8
    code, largest = fly.I8, 127.0

    def buffers(self):
        return {"x": self.matrix(), "y": self.empty(self.out),
                "yscale": torch.full((self.rows,), float("nan"), device="cuda")}

    def fields(self, b):
        return dict(super().fields(b), yscale=ptr(b["yscale"]), ydtype=self.code)

    def bytes(self):
        return self.unit() + self.rows * self.cols

    def peer(self, b):
        y = self.norm(b["x"]).float()
        scale = y.abs().amax(1, keepdim=True) / self.largest
        scale = torch.where(scale == 0, 1.0, scale)
        q = y / scale
        return (q.round().clamp(-127, 127).to(self.out) if self.out is torch.int8 else q.to(self.out)), scale

    def check(self, b):
        y, s = self.exact(b["x"].double())
        scale = y.abs().amax(1, keepdim=True) / self.largest
        worst = ((b["yscale"].double()[:, None] - scale).abs() / (scale * 10 * U)).max().item()
        return max(worst, fraction(b["y"], y / scale, 4 * s / scale))


class RmsNormFp8(RmsNormQuant):
    out = torch.float8_e4m3fn
    code, largest = fly.E4M3, 448.0


class LayerNormQuant(RmsNormQuant):
    kind = fly.LayerNorm
    norm, exact = LayerNorm.norm, LayerNorm.exact


class Softmax(Case):
    kind = fly.Softmax

    def buffers(self):
        return {"x": self.matrix(), "y": self.empty()}

    def fields(self, b):
        return dict(rows=self.rows, cols=self.cols, x=ptr(b["x"]), y=ptr(b["y"]), dtype=self.type)

    def bytes(self):
        return 2 * self.unit()

    def peer(self, b):
        return torch.softmax(b["x"], 1)

    def check(self, b):
        x = b["x"].double()
        y = torch.softmax(x, 1)
        return fraction(b["y"], y, y * (1 + x.amax(1, keepdim=True) - x))


class SoftmaxBackward(Case):
    kind = fly.SoftmaxBackward

    def buffers(self):
        return {"dy": self.matrix(), "y": torch.softmax(self.matrix().float(), 1).to(self.torch_type),
                "dx": self.empty()}

    def fields(self, b):
        return dict(rows=self.rows, cols=self.cols, dy=ptr(b["dy"]), y=ptr(b["y"]), dx=ptr(b["dx"]), dtype=self.type)

    def bytes(self):
        return 3 * self.unit()

    def peer(self, b):
        return torch.ops.aten._softmax_backward_data(b["dy"], b["y"], 1, self.torch_type)

    def check(self, b):
        dy, y = b["dy"].double(), b["y"].double()
        dx = y * (dy - (dy * y).sum(1, keepdim=True))
        return fraction(b["dx"], dx, y * (dy.abs() + (dy * y).abs().sum(1, keepdim=True)))


class RmsNormBackward(Case):
    kind, centred = fly.RmsNormBackward, False

    def buffers(self):
        x = self.matrix()
        f = x.float()
        m = f.mean(1) if self.centred else torch.zeros(self.rows, device="cuda")
        rstd = torch.rsqrt(((f - m[:, None]) ** 2).mean(1) + 1e-5)
        b = {"x": x, "dy": self.matrix(), "dx": self.empty(), "rstd": rstd, "dgamma": torch.empty_like(self.gamma)}
        if self.centred:
            b.update(mean=m, dbeta=torch.empty_like(self.beta))
        return b

    def fields(self, b):
        f = dict(rows=self.rows, cols=self.cols, x=ptr(b["x"]), gamma=ptr(self.gamma), dy=ptr(b["dy"]),
                 rstd=ptr(b["rstd"]), dx=ptr(b["dx"]), dgamma=ptr(b["dgamma"]), dtype=self.type)
        if self.centred:
            f.update(mean=ptr(b["mean"]), dbeta=ptr(b["dbeta"]))
        return f

    def bytes(self):
        return 3 * self.unit()

    def peer(self, b):
        return torch.ops.aten._fused_rms_norm_backward(b["dy"], b["x"], [self.cols], b["rstd"][:, None], self.gamma,
                                                       [True, True])

    def check(self, b):
        x, dy, g, r = b["x"].double(), b["dy"].double(), self.gamma.double(), b["rstd"].double()[:, None]
        xhat = (x - b["mean"].double()[:, None]) * r if self.centred else x * r
        t = dy * g
        c1 = t.mean(1, keepdim=True) if self.centred else 0
        a1 = t.abs().mean(1, keepdim=True) if self.centred else 0
        dx = r * (t - c1 - xhat * (t * xhat).mean(1, keepdim=True))
        s = r * (t.abs() + a1 + xhat.abs() * (t * xhat).abs().mean(1, keepdim=True))
        worst = max(fraction(b["dx"], dx, s), fraction(b["dgamma"], (dy * xhat).sum(0), (dy * xhat).abs().sum(0)))
        if self.centred:
            worst = max(worst, fraction(b["dbeta"], dy.sum(0), dy.abs().sum(0)))
        return worst


class LayerNormBackward(RmsNormBackward):
    kind, centred = fly.LayerNormBackward, True

    def peer(self, b):
        return torch.ops.aten.native_layer_norm_backward(b["dy"], b["x"], [self.cols], b["mean"][:, None],
                                                         b["rstd"][:, None], self.gamma, self.beta, [True, True, True])


OPS = {"layernorm": LayerNorm, "layernorm_add": LayerNormAdd, "layernorm_i8": LayerNormQuant, "rmsnorm": RmsNorm,
       "rmsnorm_add": RmsNormAdd, "rmsnorm_i8": RmsNormQuant, "rmsnorm_e4m3": RmsNormFp8, "softmax": Softmax,
       "softmaxbwd": SoftmaxBackward, "rmsnormbwd": RmsNormBackward, "layernormbwd": LayerNormBackward}


class Timer:
    """A graph of calls over rotating buffers, replayed and timed with events. What a call returns is kept: peers
    allocate their outputs, and of outputs that are freed in the capture all would be one, which stays in L2."""

    def __init__(self, call, sets, stream):
        self.n = max(len(sets), 20)
        for i in range(3):
            call(sets[i % len(sets)])
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, stream=stream):
            self.outputs = [call(sets[i % len(sets)]) for i in range(self.n)]
        self.replay(3)

    def replay(self, times):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(times):
            self.graph.replay()
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop) * 1000 / times / self.n


def measure(timers, rounds=7):
    """Median microseconds a call; the candidates take turns, so that drift hits them alike."""
    times = {name: [] for name in timers}
    for _ in range(rounds):
        for name, t in timers.items():
            times[name].append(t.replay(max(1, int(2000 / max(1.0, t.n * 20)))))
    return {name: statistics.median(v) for name, v in times.items()}


def run(library, name, rows, cols, dtype, stream, peers):
    case = OPS[name](rows, cols, dtype)
    case.params()
    sets = [case.buffers()]
    while len(sets) < 256 and case.bytes() * len(sets) < ROTATE_BYTES:
        sets.append(case.buffers())
    workspace = None
    for b in sets:
        call, plan = library.prepare(case.kind, **case.fields(b))
        if plan.workspace_bytes:
            workspace = workspace if workspace is not None else torch.empty(plan.workspace_bytes, dtype=torch.uint8,
                                                                            device="cuda")
            call.args.workspace, call.args.workspace_bytes = ptr(workspace), plan.workspace_bytes
        b["call"] = call

    def ours(b):
        library.stream(torch.cuda.current_stream().cuda_stream)
        b["call"]()

    for b in sets[:1]:
        ours(b)
        torch.cuda.synchronize()
        error = case.check(b)
    if not error <= 1:
        raise RuntimeError(f"{name} {rows}x{cols}: error is {error:.2f} of its bound with {plan.kernel.decode()}")
    half = -(-case.bytes() // 2 // 4096) * 4096  # copies of sizes between these take 1.5 times as long
    copies = [(torch.empty(half, dtype=torch.uint8, device="cuda").random_(), torch.empty(half, dtype=torch.uint8, device="cuda"))
              for _ in range(max(2, min(256, ROTATE_BYTES // max(1, 2 * half))))]
    timers = {"libfly": Timer(ours, sets, stream), "copy": Timer(lambda c: c[1].copy_(c[0]), copies, stream)}
    candidates = {}
    if "eager" in peers:
        candidates["eager"] = case.peer
    if "compile" in peers:
        torch._dynamo.reset()
        candidates["compile"] = torch.compile(case.peer, dynamic=False)
    for who, f in candidates.items():
        try:
            timers[who] = Timer(f, sets, stream)
        except Exception as e:  # a peer without the operation is left out, and said so
            print(f"# {who} cannot run {name}: {str(e).splitlines()[0]}", file=sys.stderr)
    t = measure(timers)
    row = {"op": name, "dtype": dtype, "rows": rows, "cols": cols, "kernel": plan.kernel.decode(), "error": f"{error:.3f}",
           "us": f"{t['libfly']:.2f}", "TB/s": f"{case.bytes() / t['libfly'] / 1e6:.3f}",
           "of copy": f"{t['copy'] / t['libfly']:.3f}"}
    for who in ("eager", "compile"):
        row["x " + who] = f"{t[who] / t['libfly']:.3f}" if who in t else ""
    return row


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--lib", required=True)
    a.add_argument("--ops", default=",".join(OPS))
    a.add_argument("--dtype", default="bf16", choices=DTYPES)
    a.add_argument("--suite", default="full", choices=["full", "small"])
    a.add_argument("--shapes", help="rows x cols, as 4096x769,16x8192; instead of a suite")
    a.add_argument("--peers", default="eager,compile")
    a.add_argument("--overlap", action="store_true", help="libfly's kernels may start while the one before ends")
    a.add_argument("--out")
    o = a.parse_args()
    library = fly.Library(o.lib)
    library.overlap(o.overlap)
    torch.manual_seed(1)
    stream = torch.cuda.Stream()
    shapes = [tuple(map(int, s.split("x"))) for s in o.shapes.split(",")] if o.shapes else SMALL if o.suite == "small" else SHAPES
    print(f"# {torch.cuda.get_device_name()}, torch {torch.__version__}, CUDA {torch.version.cuda}")
    rows = []
    for name in o.ops.split(","):
        if not library.has(OPS[name].kind):
            print(f"# libfly has no {name}")
            continue
        for r, c in shapes:
            try:
                row = run(library, name, r, c, o.dtype, stream, o.peers.split(","))
            except RuntimeError as e:
                print(f"# {name} {r}x{c}: {e}", flush=True)
                continue
            rows.append(row)
            if len(rows) == 1:
                print("  ".join(row))
            print("  ".join(str(v) for v in row.values()), flush=True)
            torch.cuda.empty_cache()
    if o.out and rows:
        os.makedirs(o.out, exist_ok=True)
        with open(os.path.join(o.out, "compare.csv"), "w", newline="") as f:
            w = csv.DictWriter(f, rows[0])
            w.writeheader()
            w.writerows(rows)
        for name in dict.fromkeys(r["op"] for r in rows):
            plot.write(os.path.join(o.out, f"{name}_{o.dtype}.svg"), name, [r for r in rows if r["op"] == name])


if __name__ == "__main__":
    main()
