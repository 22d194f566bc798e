import sys, os, time, math, threading, queue, json, glob
import numpy as np, torch, torch.nn as nn, torch.nn.functional as F
from safetensors.torch import save_file
D, INFO = sys.argv[1], json.loads(sys.argv[2])
SECONDS, OUT = INFO.get("seconds", 60), INFO["out"]
dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.set_float32_matmul_precision("high")
INPUT, OUTPUT, REACH = 435, 139, 64
PARENT = [0,0,1,2,3,0,5,6,7,0,9,10,11,12,11,14,15,16,11,18,19,20]
LEVELS = []
level = [0]
while True:
    nxt = [r for r in range(1,22) if PARENT[r] in level]
    if not nxt: break
    LEVELS.append((nxt, [level.index(PARENT[r]) for r in nxt])); level = nxt
ORDER = [0] + [r for l,_ in LEVELS for r in l]
INV = [ORDER.index(r) for r in range(22)]

def columns(r6):  # [...,22,6] -> two columns
    a, b = r6[..., :3], r6[..., 3:]
    a = a / (a.square().sum(-1, keepdim=True) + 1e-12).sqrt()
    b = b - a * (a * b).sum(-1, keepdim=True)
    b = b / (b.square().sum(-1, keepdim=True) + 1e-12).sqrt()
    return a, b

def fk(r6, hips, offsets):  # [N,22,6],[N,3],[N,22,3] -> positions [N,22,3], cols [N,22,6]
    a, b = columns(r6)
    wa, wb, p = a[:, :1], b[:, :1], hips[:, None]
    P, A, B = [p], [wa], [wb]
    for roles, parents in LEVELS:
        pa, pb, pp = wa[:, parents], wb[:, parents], p[:, parents]
        pc = torch.linalg.cross(pa, pb)
        rot = lambda v: pa * v[..., :1] + pb * v[..., 1:2] + pc * v[..., 2:]
        p = pp + rot(offsets[:, roles]); wa, wb = rot(a[:, roles]), rot(b[:, roles])
        P.append(p); A.append(wa); B.append(wb)
    sort = lambda x: torch.cat(x, 1)[:, INV]
    return sort(P), torch.cat([sort(A), sort(B)], -1)

class Net(nn.Module):
    def __init__(s, width, inner, layers, heads, dropout, seed):
        super().__init__()
        g = torch.Generator().manual_seed(seed)
        s.w, s.h, s.L, s.p, s.inner = width, heads, layers, dropout, inner
        def mat(n, a, b, scale=1.0):
            bound = scale * math.sqrt(3.0 / a)
            return nn.Parameter((torch.rand((n, a, b) if n else (a, b), generator=g) * 2 - 1) * bound)
        br = 1 / math.sqrt(2.0 * layers)
        s.inw, s.inb = mat(0, INPUT, width), nn.Parameter(torch.zeros(width))
        s.qkv, s.qkvb = mat(layers, width, 3*width), nn.Parameter(torch.zeros(layers, 3*width))
        s.out, s.outb = mat(layers, width, width, br), nn.Parameter(torch.zeros(layers, width))
        s.first, s.firstb = mat(layers, width, inner), nn.Parameter(torch.zeros(layers, inner))
        s.second, s.secondb = mat(layers, inner, width, br), nn.Parameter(torch.zeros(layers, width))
        s.dist = nn.Parameter(torch.zeros(layers, heads, 2*REACH+1))
        s.ow, s.ob = nn.Parameter(torch.zeros(width, OUTPUT)), nn.Parameter(torch.zeros(OUTPUT))
    def forward(s, groups):  # list of (rows [W,L,435] normalised, key mask [W,1,1,L])
        x = torch.cat([r.reshape(-1, INPUT) for r, _ in groups])
        norm = lambda x: F.layer_norm(x, (s.w,))
        x = torch.addmm(s.inb, x, s.inw).float()
        P = [t.unbind(0) for t in (s.qkv, s.qkvb, s.out, s.outb, s.first, s.firstb, s.second, s.secondb, s.dist)]
        idx = []
        for r, _ in groups:
            i = torch.arange(r.shape[1], device=r.device)
            idx.append((i[None] - i[:, None] + REACH).clamp(0, 2*REACH))
        drop = lambda t: F.dropout(t, s.p, s.training)
        for l in range(s.L):
            qkv, qkvb, out, outb, first, firstb, second, secondb, dist = [p[l] for p in P]
            y = torch.addmm(qkvb, norm(x), qkv)
            pieces, start = [], 0
            for (r, m), ix in zip(groups, idx):
                W, L = r.shape[:2]
                q, k, v = y[start:start+W*L].view(W, L, 3, s.h, s.w//s.h).permute(2, 0, 3, 1, 4)
                start += W*L
                bias = dist[:, ix][None] + m
                a = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(s.w//s.h) + bias, -1)
                pieces.append((a.to(v.dtype) @ v).transpose(1, 2).reshape(W*L, s.w))
            x = x + torch.addmm(outb, drop(torch.cat(pieces)), out)
            h = torch.addmm(firstb, norm(x), first).relu().square()
            x = x + torch.addmm(secondb, drop(h), second)
        y = torch.addmm(s.ob, norm(x), s.ow).float()
        res, start = [], 0
        for r, _ in groups:
            W, L = r.shape[:2]; res.append(y[start:start+W*L].view(W, L, OUTPUT)); start += W*L
        return res
    def load(s, path):
        from safetensors import safe_open
        f = safe_open(path, "pt")
        def get(n):
            t = f.get_tensor(n).float()
            return t * f.get_tensor(n + ".scale").float() if n + ".scale" in f.keys() else t
        with torch.no_grad():
            for n, t in s.tensors().items():
                if n.startswith("layers."):
                    try: v = get(n)
                    except Exception:
                        if n.split(".")[2] in ("out", "second"): t.zero_()
                        continue
                    t.copy_(v)
                else: t.copy_(get(n))
    def tensors(s):
        d = {"input.weight": s.inw, "input.bias": s.inb, "output.weight": s.ow, "output.bias": s.ob}
        for l in range(s.L):
            for n, w, b in (("qkv", s.qkv, s.qkvb), ("out", s.out, s.outb), ("first", s.first, s.firstb), ("second", s.second, s.secondb)):
                d[f"layers.{l}.{n}.weight"], d[f"layers.{l}.{n}.bias"] = w[l], b[l]
            d[f"layers.{l}.distance"] = s.dist[l]
        return d

def gather(y, past, frames):
    i = (past[:, None] + torch.arange(frames, device=y.device)[None]).clamp(max=y.shape[1]-1)
    return torch.gather(y, 1, i[..., None].expand(-1, -1, OUTPUT))

def decode(y, g):
    o = gather(y, g["past"], g["base"].shape[1])
    hips = g["hips"]
    rot = g["base"] + o[..., :132] * hips[..., 10:11]
    root = hips[..., :3] + o[..., 132:135] * hips[..., 11:12]
    return rot, root, o[..., 135:]

def group_loss(y, g):
    W, G = g["base"].shape[:2]
    rot, root, logits = decode(y, g)
    off = g["offsets"][:, None].expand(W, G, 22, 3).reshape(-1, 22, 3)
    pos, col = fk(rot.reshape(-1, 22, 6), root.reshape(-1, 3), off)
    with torch.no_grad():
        tpos, tcol = fk(g["local"].reshape(-1, 22, 6), g["hips"][..., 3:6].reshape(-1, 3), off)
        frame = torch.arange(G, device=y.device)[None]
        m = (frame < g["gap"][:, None]).float()
        gap = g["gap"].float()
        w1 = (6.0 / (gap + 1)) ** 0.85 / (gap * 256)
        w = w1[:, None] * m
        ax = torch.tensor([1.0, 1.7, 1.0], device=y.device)
    s = lambda v, wt: (v.sum(-1) * wt).sum()
    rotation = s((rot - g["local"]).abs(), w) / 132 + s((col - tcol).abs().reshape(W, G, -1), w) / 132
    pos, tpos = pos.view(W, G, 22, 3), tpos.view(W, G, 22, 3)
    position = s(((pos - tpos).abs() * ax).reshape(W, G, -1), w) * 6 / 66
    ends = g["ends"]
    def steps(p):
        p = torch.cat([ends[:, 0][:, None], p, ends[:, 1][:, None]], 1)
        i = torch.arange(G+2, device=y.device)[None]
        p = torch.where((i == g["gap"][:, None] + 1)[..., None, None], ends[:, 1][:, None], p)
        return p[:, 1:] - p[:, :-1]
    d, td = steps(pos), steps(tpos)
    ws = w1[:, None] * (torch.arange(G+1, device=y.device)[None] <= g["gap"][:, None]).float()
    change = s(((d - td).abs() * ax).reshape(W, G+1, -1), ws) * 10 / 66
    c = g["hips"][..., 6:10]
    planted = c * m[..., None]
    slide = s((d[:, :G][:, :, [3, 4, 7, 8]][..., [0, 2]].abs().sum(-1)) * planted, ws[:, :G]) * 2 / 4
    entropy = s(F.binary_cross_entropy_with_logits(logits, c, reduction="none"), w) * 0.01
    return torch.stack([rotation, position, change, slide, entropy])

def losses(net, groups):
    with torch.autocast(dev, dtype=torch.bfloat16):
        ys = net([(g["rows"], g["mask"]) for g in groups])
    t = sum(group_loss(y.float(), g) for y, g in zip(ys, groups))
    return t.sum(), t.detach()

SHAPES = [(192, 45, 30), (64, 135, 120)]
def parse(buf, shapes):
    groups, at = [], 0
    def take(n, t):
        nonlocal at
        a = np.frombuffer(buf, dtype=t, count=n, offset=at); at += a.nbytes
        return torch.from_numpy(a)
    for W, L, G in shapes:
        meta = take(W*3, np.int32).view(W, 3); win = take(W*198, np.float32).view(W, 198)
        hips = take(W*G*12, np.float32).view(W, G, 12); pose = take(W*2*G*132, np.int16).view(W, 2, G, 132)
        rows = take(W*L*INPUT, np.int16).view(W, L, INPUT)
        groups.append((meta, win, hips, pose, rows))
    assert at == len(buf), (at, len(buf))
    return groups
def to_gpu(groups):
    out = []
    for meta, win, hips, pose, rows in groups:
        meta, win, hips, pose, rows = [t.to(dev, non_blocking=True) for t in (meta, win, hips, pose, rows)]
        meta = meta.long()
        pose = pose.float() / 32767
        L = rows.shape[1]
        mask = torch.where(torch.arange(L, device=dev)[None] < meta[:, :1], 0.0, -1e9)[:, None, None]
        out.append(dict(rows=(rows.float() * (8/32767)).to(torch.bfloat16), mask=mask, past=meta[:, 1], gap=meta[:, 2], base=pose[:, 0].contiguous(),
            local=pose[:, 1].contiguous(), hips=hips, offsets=win[:, :66].reshape(-1, 22, 3), ends=win[:, 66:].reshape(-1, 2, 22, 3)))
    return out

q = queue.Queue(6)
stop = False
def reader(k, n):
    step = k
    while not stop:
        path = f"{D}/{step:06}.bin"
        while not os.path.exists(path):
            time.sleep(0.002)
            if stop: return
        with open(path, "rb") as f: buf = bytearray(f.read())
        os.unlink(path)
        groups = [tuple(t.pin_memory() if dev == "cuda" else t for t in g) for g in parse(buf, SHAPES)]
        while not stop:
            try: q.put(groups, timeout=1); break
            except queue.Full: pass
        step += n
for k in range(3): threading.Thread(target=reader, args=(k, 3), daemon=True).start()

class Learner:
    def __init__(s, cfg, seed):
        s.cfg = cfg
        s.net = Net(cfg["width"], cfg["inner"], cfg["layers"], cfg["heads"], cfg["dropout"], seed)
        if cfg.get("from"): s.net.load(cfg["from"])
        s.net.to(dev)
        s.ema = {n: p.detach().clone() for n, p in s.net.named_parameters()}
        s.mats = [s.net.qkv, s.net.out, s.net.first, s.net.second]
        s.mom = [torch.zeros_like(p) for p in s.mats]
        dec = [s.net.inw, s.net.ow, s.net.dist]
        ids = {id(p) for p in s.mats + dec}
        rest = [p for p in s.net.parameters() if id(p) not in ids]
        s.adam = torch.optim.AdamW([dict(params=dec, weight_decay=0.02), dict(params=rest, weight_decay=0.0)], lr=1e-3, betas=(0.9, 0.98), eps=1e-9, fused=dev == "cuda")
        s.fn = torch.compile(losses) if INFO["compile"] else losses
        s.sum, s.n, s.steps = 0, 0, 0
    @torch.no_grad()
    def muon(s, lr):
        for p, m in zip(s.mats, s.mom):
            m.mul_(0.95).add_(p.grad)
            x = (p.grad + 0.95 * m).bfloat16()
            t = x.shape[1] > x.shape[2]
            if t: x = x.mT
            x = x / x.float().norm(dim=(1, 2), keepdim=True).clamp(min=1e-7).bfloat16()
            for _ in range(5):
                a = x @ x.mT
                b = -4.775 * a + 2.0315 * (a @ a)
                x = 3.4445 * x + b @ x
            if t: x = x.mT
            p.mul_(1 - lr * 0.02)
            p.add_(x.float(), alpha=-lr * 0.2 * math.sqrt(max(p.shape[1:])))
    def step(s, groups, rate):
        rate = rate * s.cfg.get("rate", 1.0)
        s.net.train()
        loss, terms = s.fn(s.net, groups)
        loss.backward()
        nn.utils.clip_grad_norm_(s.net.parameters(), 1.0, foreach=True)
        for g in s.adam.param_groups: g["lr"] = rate
        s.adam.step(); s.muon(rate * 4)
        s.adam.zero_grad(set_to_none=True)
        for p in s.mats: p.grad = None
        s.steps += 1
        d = min(INFO["ema"], (1 + s.steps) / (10 + s.steps))
        with torch.no_grad(): torch._foreach_lerp_(list(s.ema.values()), [p.detach() for p in s.net.parameters()], 1 - d)
        s.sum = s.sum + terms; s.n += 1
    @torch.no_grad()
    def validate(s):
        s.net.eval()
        keep = {n: p.detach().clone() for n, p in s.net.named_parameters()}
        for n, p in s.net.named_parameters(): p.copy_(s.ema[n])
        res = {}
        dv = torch.tensor([0.5, 0.25, 0.35], device=dev)
        for name, gap, ref, g in VAL:
            with torch.autocast(dev, dtype=torch.bfloat16): y = s.net([(g["rows"], g["mask"])])[0]
            rot, root, _ = decode(y.float(), g)
            W, G = rot.shape[:2]
            off = g["offsets"][:, None].expand(W, G, 22, 3).reshape(-1, 22, 3)
            p, _ = fk(rot.reshape(-1, 22, 6), root.reshape(-1, 3), off)
            t, _ = fk(g["local"].reshape(-1, 22, 6), g["hips"][..., 3:6].reshape(-1, 3), off)
            res[f"{name}{gap}"] = round((((p - t) / dv).square().sum((1, 2)).sqrt().mean() / ref).item(), 4)
        for n, p in s.net.named_parameters(): p.copy_(keep[n])
        mean = lambda k: round(sum(res[f"{k}{g}"] for g in (5, 15, 30, 45)) / 4, 4)
        res["val"], res["train"] = mean("val"), mean("train")
        return res
    def save(s, path):
        with torch.no_grad():
            keep = {n: p.detach().clone() for n, p in s.net.named_parameters()}
            for n, p in s.net.named_parameters(): p.copy_(s.ema[n])
            d = {k: v.detach().half().cpu().contiguous().clone() for k, v in s.net.tensors().items()}
            for n, p in s.net.named_parameters(): p.copy_(keep[n])
        save_file(d, path)

VAL = []
for path in sorted(glob.glob(f"{D}/*.val")):
    name, index, count, gap, ref = os.path.basename(path)[:-4].split("_")
    W, L, G = int(count), int(gap) + 11, int(gap)
    with open(path, "rb") as f: buf = bytearray(f.read())
    VAL.append((name, G, float(ref), to_gpu(parse(buf, [(W, L, G)]))[0]))
learners = [Learner(c, INFO["seed"] + i) for i, c in enumerate(INFO["models"])]
for l in learners: print(l.cfg, sum(p.numel() for p in l.net.parameters()), flush=True)
warm = 3
if INFO.get("check"):
    for l in learners: print("START", l.validate(), flush=True)
t0 = time.time(); start = None; last = time.time(); step = 0; saves = 0
while True:
    tq = time.time()
    groups = to_gpu(q.get())
    wait = time.time() - tq
    if start is None and step >= warm: 
        if dev == "cuda": torch.cuda.synchronize()
        start = time.time()
        if "deadline" in INFO: SECONDS = float(os.environ["T0"]) + INFO["deadline"] - start
        print("warm after", round(start - t0, 1), flush=True)
    progress = 0 if start is None else (time.time() - start) / SECONDS
    if progress >= 1 or step >= INFO.get("steps", 1e9): break
    rate = INFO["rate"] * min((step + 1) / 300, 1, max(0, (1 - progress) / INFO["cool"]))
    for l in learners: l.step(groups, rate)
    step += 1
    if step % INFO.get("log", 200) == 0:
        for l in learners:
            t = (l.sum / l.n).tolist(); l.sum, l.n = 0, 0
            print(step, round(time.time() - t0, 1), f"p{progress:.3f}", l.cfg["width"], "loss", round(sum(t), 4), [round(x, 4) for x in t], "q", q.qsize(), f"wait {wait:.3f}", flush=True)
    if time.time() - last > INFO["every"]:
        for i, l in enumerate(learners):
            print("VAL", step, l.cfg["width"], l.validate(), flush=True)
            if INFO["save"]: l.save(f"{OUT}/{l.cfg['name']}.safetensors")
        last = time.time()
for l in learners:
    print("END", step, l.cfg["width"], l.validate(), flush=True)
    if INFO["save"]: l.save(f"{OUT}/{l.cfg['name']}.safetensors")
stop = True
