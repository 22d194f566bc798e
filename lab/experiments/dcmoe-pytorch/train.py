import sys, os, time, json, math
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import torch, torch.nn as nn
from net import *
from safetensors.torch import save_file
D, C = sys.argv[1], json.loads(sys.argv[2])
dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.set_float32_matmul_precision("high")
import torch._inductor.config as ic
ic.fallback_random = True
import contextlib
side = torch.cuda.Stream() if dev == "cuda" else None
torch.manual_seed(C.get("seed", 7))
t0 = time.time()
d = load_data(D, dev)
net = Net(d, C["experts"], C["hidden"], seed=C.get("seed", 7))
if C.get("from"): net.load(C["from"])
net.to(dev)
# normalisation of the network goes with loaded weights
d["output.mean"], d["output.deviation"] = net.output_mean, net.output_deviation
print(C, sum(p.numel() for p in net.parameters()), "parameters; data", round(time.time() - t0, 1), flush=True)
params = [p for p in net.parameters()]
B, K = C["batch"], C["unroll"]
mats = [p for p in params if p.dim() > 1]; rest = [p for p in params if p.dim() <= 1]
opt = torch.optim.AdamW(params, lr=torch.tensor(C["rate"], device=dev), betas=(0.9, 0.98), eps=1e-9, weight_decay=C.get("decay", 0.01), fused=dev == "cuda", capturable=dev == "cuda")
ema = [p.detach().clone() for p in params]
lr = opt.param_groups[0]["lr"]
fb = torch.tensor(0.0, device=dev)
A = C.get("absolute", 0.0); DRIFT = C.get("drift", 0.85); DROP = C.get("dropout", 0.0); FR = C["frames"]

def frame(L, S, u1, u2, u3, far):
    R = rows(d, L, S, DRIFT)
    x, g = net.normal(R)
    out = net(noise_mask(x, C.get("noise", 0.02), u1, u2, u3), g, DROP)
    raw = net.raw(out)
    R1 = R if K == 1 else dict(R, truth=R["truth"].detach())
    terms = loss_terms(d, R1, out, raw)
    S2 = advance(d, L, S, R, raw)
    if A:
        # error of the next body against the recording, in world space
        g1 = L["start"] + L["frame"] + 1
        f = FACT
        ep = nrm(((S2["cur_p"] - d["pos"][g1]) / 0.03).square()) * f
        er = nrm(((S2["cur_r"] - d["rot"][g1]) / 0.1).square()) * f
        far = (ep + er).sum() / (len(u1) * 22)
    else: far = terms.sum() * 0
    return terms, far, S2
BK = C.get("backend", "inductor")
fn = torch.compile(frame, backend=BK, fullgraph=True) if C.get("compile") else frame

def mix(c, a, b):  # where c, take a, else b, for dicts
    return {k: torch.where(c.reshape(-1, *[1] * (a[k].dim() - 1)), a[k], b[k]) for k in b}
SAVED = {}
def begin():
    L = draw(d, B, FR, dev); L["remaining"] = (torch.rand(B, device=dev) * L["remaining"]).long().clamp(min=1)
    S = start_state(d, L); S["predicted"] = torch.zeros(B, dtype=torch.bool, device=dev)
    return L, S
LS = {}
L0, S0 = begin()
for k, v in L0.items(): LS["L" + k] = v.clone()
for k, v in S0.items(): LS["S" + k] = v.clone()
tot = torch.zeros(6, device=dev)
def prepare(L, S, fbv):
    """Draws lanes that are done, and drops predictions at random."""
    n = draw(d, B, FR, dev)
    done = L["remaining"] <= 0
    L = mix(done, n, L)
    keep = (torch.rand(B, device=dev) < fbv) & ~done & (L["elapsed"] > 0)
    rec = start_state(d, L)
    S = mix(keep, {k: S[k] for k in rec}, rec)
    S["predicted"] = keep
    return L, S
def step():
    L = {k[1:]: v for k, v in LS.items() if k[0] == "L"}; S = {k[1:]: v for k, v in LS.items() if k[0] == "S"}
    total, log = 0, 0
    for i in range(K):
        L, S = prep(L, S, fb)
        u = torch.rand(B, 264 + 1 + 21, device=dev)
        terms, far, S = fn(L, S, u[:, :264], u[:, 264], u[:, 265:], None)
        S["predicted"] = torch.ones(B, dtype=torch.bool, device=dev)
        L = dict(L, frame=L["frame"] + 1, elapsed=L["elapsed"] + 1, remaining=L["remaining"] - 1)
        total = total + (C.get("local", 1.0) * (terms[0] + terms[1]) + terms[2:].sum() + A * far) / K
        log = log + torch.cat([terms, far[None]]).detach() / K
    total.backward()
    norm = nn.utils.clip_grad_norm_(params, 1.0, foreach=True)
    opt.step(); opt.zero_grad(set_to_none=False)
    with torch.no_grad():
        torch._foreach_lerp_(ema, [p.detach() for p in params], 1 - C.get("ema", 0.999))
        for k, v in L.items(): LS["L" + k].copy_(v)
        for k, v in S.items(): LS["S" + k].copy_(v.detach())
        tot.add_(log)
prep = torch.compile(prepare, backend=BK, fullgraph=True) if C.get("compile") else prepare

def with_ema(f):
    keep = [p.detach().clone() for p in params]
    with torch.no_grad():
        for p, e in zip(params, ema): p.copy_(e)
    r = f()
    with torch.no_grad():
        for p, k in zip(params, keep): p.copy_(k)
    return r
def save(path):
    t = {k: v.detach().float().cpu().contiguous().clone() for k, v in net.tensors().items()}
    meta = dict(name="dcmoe", layout=2, config=dict(sizes=net.sizes, styles=[]), set=C["set"], licence=C["licence"])
    save_file(t, path, metadata={"kinestitch": json.dumps(meta, separators=(",", ":"))})
if C.get("check"): print("START", validate(net, d), flush=True)
best = 9
for e, p in zip(ema, params): e.copy_(p.detach())
graph, n, last, start, warm = None, 0, time.time(), None, 4
SECONDS = C.get("seconds", 60)
if "deadline" in C: SECONDS = None
with (torch.cuda.stream(side) if side else contextlib.nullcontext()):
  if side: side.wait_stream(torch.cuda.default_stream())
  while True:
        if n == warm and dev == "cuda" and C.get("graph", True):
            torch.cuda.synchronize(); graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=side): step()
            print("captured", round(time.time() - t0, 1), flush=True)
        if start is None and n >= warm:
            start = time.time()
            if SECONDS is None: SECONDS = float(os.environ["T0"]) + C["deadline"] - start
            tot.zero_(); n0 = n
        p = 0 if start is None else (time.time() - start) / SECONDS
        if p >= 1 or n >= C.get("steps", 1e9): break
        lr.fill_(C["rate"] * min((n + 1) / 200, 1, max(0, (1 - p) / C.get("cool", 0.3))))
        fb.fill_(C.get("feedback", 0.9) * min(1, (n * K) / max(C.get("pairs", 2500), 1)))
        if n == warm + 200 and not C.get("from"):
            for e, q in zip(ema, params): e.copy_(q.detach())
        if graph is None: step()
        else: graph.replay()
        n += 1
        if n % 100 == 0 and dev == "cuda": torch.cuda.synchronize()
        if n % C.get("log", 1000) == 0:
            t = (tot / C.get("log", 1000)).tolist(); tot.zero_()
            print(n, round(time.time() - t0, 1), f"p{p:.2f}", [round(x, 4) for x in t], flush=True)
        if time.time() - last > C.get("every", 60):
            v = with_ema(lambda: validate(net, d)); print("VAL", n, v, flush=True)
            if v[0] < best: best = v[0]; with_ema(lambda: save(f"{C['out']}/{C['name']}-best.safetensors"))
            last = time.time()
if side: torch.cuda.synchronize()
v = with_ema(lambda: validate(net, d)); print("END", n, v, flush=True)
with_ema(lambda: save(f"{C['out']}/{C['name']}.safetensors"))
