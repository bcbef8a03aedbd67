# SPDX-License-Identifier: MIT
"""libfly's row-wise operations through ctypes, for comparison with its peers in one process."""
import ctypes
import os

F32, F16, BF16, E4M3, I8 = 1, 2, 3, 4, 8
p, i64, u32, u64, f32 = ctypes.c_void_p, ctypes.c_int64, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_float


def struct(name, fields):
    return type(name, (ctypes.Structure,), {"_fields_": [("size", ctypes.c_size_t)] + fields})


# Mirrors of the structs in include/fly, in the same order.
LayerNorm = struct("flyLayerNormArgs_t", [
    ("rows", i64), ("cols", i64), ("x", p), ("gamma", p), ("beta", p), ("y", p), ("mean", p), ("rstd", p),
    ("ldx", i64), ("ldy", i64), ("eps", f32), ("dtype", u32), ("residual", p), ("residual_out", p),
    ("yscale", p), ("xscale", p), ("ldr", i64), ("ldro", i64), ("ydtype", u32), ("reserved", u32)])
RmsNorm = struct("flyRmsNormArgs_t", [
    ("rows", i64), ("cols", i64), ("x", p), ("gamma", p), ("y", p), ("rstd", p), ("residual", p),
    ("residual_out", p), ("yscale", p), ("xscale", p), ("ldx", i64), ("ldy", i64), ("ldr", i64), ("ldro", i64),
    ("eps", f32), ("dtype", u32), ("wdtype", u32), ("ydtype", u32)])
Softmax = struct("flySoftmaxArgs_t", [
    ("rows", i64), ("cols", i64), ("x", p), ("y", p), ("lengths", p), ("ldx", i64), ("ldy", i64),
    ("causal_rows", i64), ("scale", f32), ("causal", u32), ("dtype", u32), ("reserved", u32)])
SoftmaxBackward = struct("flySoftmaxBackwardArgs_t", [
    ("rows", i64), ("cols", i64), ("dy", p), ("y", p), ("dx", p), ("lddy", i64), ("ldy", i64), ("lddx", i64),
    ("scale", f32), ("dtype", u32)])
RmsNormBackward = struct("flyRmsNormBackwardArgs_t", [
    ("rows", i64), ("cols", i64), ("x", p), ("gamma", p), ("dy", p), ("rstd", p), ("dresidual", p), ("dx", p),
    ("dgamma", p), ("workspace", p), ("workspace_bytes", u64), ("ldx", i64), ("lddy", i64), ("lddx", i64),
    ("lddr", i64), ("dtype", u32), ("wdtype", u32), ("atomic", u32), ("reserved", u32)])
LayerNormBackward = struct("flyLayerNormBackwardArgs_t", [
    ("rows", i64), ("cols", i64), ("x", p), ("gamma", p), ("dy", p), ("mean", p), ("rstd", p), ("dresidual", p),
    ("dx", p), ("dgamma", p), ("dbeta", p), ("workspace", p), ("workspace_bytes", u64), ("ldx", i64),
    ("lddy", i64), ("lddx", i64), ("lddr", i64), ("dtype", u32), ("atomic", u32)])
Plan = struct("flyPlan_t", [
    ("kernel", ctypes.c_char_p), ("workspace_bytes", u64), ("grid", u32 * 3), ("block", u32 * 3),
    ("lds_bytes", u32), ("registers", u32), ("reason", u32), ("launches", u32),
    ("modelled_us", ctypes.c_double), ("bound", ctypes.c_char_p), ("second", ctypes.c_char_p),
    ("second_us", ctypes.c_double)])

FUNCTIONS = {LayerNorm: "flyLayerNorm", RmsNorm: "flyRmsNorm", Softmax: "flySoftmax",
             SoftmaxBackward: "flySoftmaxBackward", RmsNormBackward: "flyRmsNormBackward",
             LayerNormBackward: "flyLayerNormBackward"}


class Library:
    """A handle on the current CUDA device."""

    def __init__(self, path):
        os.environ.setdefault("FLY_RUNTIME", "cuda")
        self.lib = ctypes.CDLL(path)
        self.lib.flyErrorMessage.restype = ctypes.c_char_p
        self.lib.flyErrorMessage.argtypes = [p]
        self.lib.flySetStream.argtypes = [p, p]
        self.handle = p()
        self.check(self.lib.flyCreate(ctypes.byref(self.handle)), None)

    def check(self, status, handle):
        if status:
            raise RuntimeError(self.lib.flyErrorMessage(handle).decode())

    def has(self, kind):
        return hasattr(self.lib, FUNCTIONS[kind])

    def stream(self, raw):
        self.check(self.lib.flySetStream(self.handle, p(raw)), self.handle)

    def overlap(self, on):
        self.check(self.lib.flySetOverlap(self.handle, int(on)), self.handle)

    def prepare(self, kind, **fields):
        """A call that can be repeated, and what the library would run for it."""
        args = kind(size=ctypes.sizeof(kind), **fields)
        function = getattr(self.lib, FUNCTIONS[kind])
        plan = Plan(size=ctypes.sizeof(Plan))
        reference = ctypes.byref(args)
        self.check(getattr(self.lib, FUNCTIONS[kind] + "Plan")(self.handle, reference, ctypes.byref(plan)), self.handle)

        def call():
            self.check(function(self.handle, reference), self.handle)
        call.args = args
        return call, plan
