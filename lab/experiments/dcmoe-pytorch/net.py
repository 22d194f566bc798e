import math, json, os
import numpy as np, torch, torch.nn as nn, torch.nn.functional as F
INPUT, GATE, OUTPUT, MOVES, PHASE, NPH = 474, 389, 414, 198, 204, 70
SUP = [3, 4, 7, 8, 17, 21]
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
FACT = torch.ones(22); FACT[0] = 6; FACT[[3, 4, 7, 8]] = 3; FACT = FACT.to(DEVICE)
XZ = torch.tensor([1.0, 0, 1.0]).to(DEVICE); SUPI = torch.tensor(SUP).to(DEVICE)
AGES = torch.arange(30, 0, -5).to(DEVICE); ONES = torch.ones(22).to(DEVICE)

def load_data(D, dev):
    get = lambda n, *s: torch.from_numpy(np.fromfile(f"{D}/{n}.f32", np.float32).reshape(-1, *s)).to(dev)
    d = dict(pos=get("pos", 22, 3), rot=get("rot", 22, 6), path=get("path", 2), contact=get("contact", 6), phase=get("phase", 10, 2), hertz=get("hertz", 10))
    meta = np.loadtxt(f"{D}/meta.txt")
    tr = meta[(meta[:, 3] == 0) & (meta[:, 1] >= 16)]
    d["start"] = torch.tensor(tr[:, 0]).long().to(dev); d["frames"] = torch.tensor(tr[:, 1]).long().to(dev)
    d["cum"] = torch.tensor(np.cumsum(tr[:, 1] * tr[:, 2]), dtype=torch.float64).to(dev)
    held = meta[meta[:, 3] == 1]
    d["held"] = {int(s): int(n) for s, n in held[:, :2]}
    d["gaps"] = np.loadtxt(f"{D}/gaps.txt")
    for n in ("input", "gate_input", "output"):
        for k in ("mean", "deviation"): d[f"{n}.{k}"] = get(f"{n}.{k}")
    return d

def toroot(c, s, v):  # rotates world vectors [...,3] to root space; c, s: cosine and sine of the heading
    x, y, z = v.unbind(-1)
    return torch.stack([c * x - s * z, y, s * x + c * z], -1)
def toworld(c, s, v):
    x, y, z = v.unbind(-1)
    return torch.stack([c * x + s * z, y, -s * x + c * z], -1)
def heading(rot):  # [B,22,6] -> cos, sin [B]
    x, z = rot[:, 0, 0], rot[:, 0, 2]
    n = (x * x + z * z + 1e-12).sqrt()
    return z / n, x / n
def norm3(v): return v / (v.square().sum(-1, keepdim=True) + 1e-12).sqrt()
def ortho(r):
    z = norm3(r[..., :3]); y = r[..., 3:]
    y = norm3(y - z * (z * y).sum(-1, keepdim=True))
    return z, y
def mat(r):  # columns x, y, z
    z, y = r[..., :3], r[..., 3:]
    return torch.stack([torch.linalg.cross(y, z), y, z], -1)
def quat(m):  # w, x, y, z
    m00, m01, m02, m10, m11, m12, m20, m21, m22 = m.flatten(-2).unbind(-1)
    qa = torch.stack([1 + m00 + m11 + m22, 1 + m00 - m11 - m22, 1 - m00 + m11 - m22, 1 - m00 - m11 + m22], -1).clamp(min=0).sqrt()
    c = torch.stack([
        torch.stack([qa[..., 0] ** 2, m21 - m12, m02 - m20, m10 - m01], -1),
        torch.stack([m21 - m12, qa[..., 1] ** 2, m10 + m01, m02 + m20], -1),
        torch.stack([m02 - m20, m10 + m01, qa[..., 2] ** 2, m12 + m21], -1),
        torch.stack([m10 - m01, m20 + m02, m21 + m12, qa[..., 3] ** 2], -1)], -2)
    i = qa.argmax(-1)[..., None, None].expand(*qa.shape[:-1], 1, 4)
    q = torch.gather(c, -2, i).squeeze(-2) / (2 * torch.gather(qa, -1, i[..., 0, :1])).clamp(min=0.2)
    return q / q.norm(dim=-1, keepdim=True)
def log_between(a, b):  # rotation vector from a to b, 6D columns
    q = quat(mat(b) @ mat(a).mT)
    q = torch.where(q[..., :1] < 0, -q, q)
    s = q[..., 1:].norm(dim=-1, keepdim=True)
    return q[..., 1:] * torch.where(s < 1e-7, torch.full_like(s, 2.0), 2 * torch.atan2(s, q[..., :1]) / s.clamp(min=1e-7))
def rotate(v, axis):  # Rodrigues: vectors v [...,3] by rotation vectors axis
    t = axis.norm(dim=-1, keepdim=True); k = axis / t.clamp(min=1e-8)
    return v * t.cos() + torch.linalg.cross(k, v) * t.sin() + k * (k * v).sum(-1, keepdim=True) * (1 - t.cos())

def cols(c, s, o, pos, rot):  # columns in root space [B,22,9]; c, s [B]; o [B,3] root position
    c, s = c[:, None], s[:, None]
    return torch.cat([toroot(c, s, pos - o[:, None]), toroot(c, s, rot[..., :3]), toroot(c, s, rot[..., 3:])], -1)
def ground(pos): return pos[:, 0] * XZ

class Lanes:
    """State of all lanes: dict of tensors."""
def draw(d, B, frames, dev, span_max=90):
    u = torch.rand(B, 12, device=dev)
    take = torch.searchsorted(d["cum"], (torch.rand(B, device=dev, dtype=torch.float64) * d["cum"][-1])).clamp(max=len(d["cum"]) - 1)
    start, n = d["start"][take], d["frames"][take]
    ri = lambda k, lo, hi: (lo + (u[:, k] * (hi - lo + 1)).long()).clamp(max=hi)  # lo..=hi
    span = ri(0, 2, (n - 3).clamp(max=span_max))
    frame = ri(1, 1, n - span - 1)
    kp = torch.where(u[:, 2] < 0.5, 9, (u[:, 3] * 31).long().clamp(max=30))
    kph = torch.where(u[:, 4] < 0.4, 0, 1 + (u[:, 5] * 30).long().clamp(max=29))
    has = u[:, 6] < 0.5
    back = ri(7, 0, frame.clamp(max=30))
    return dict(start=start, n=n, frame=frame, elapsed=torch.zeros_like(frame), remaining=(span - 1).clamp(max=frames), target=frame + span,
        kp=kp, kph=kph, has=has, pstart=frame - back, single=u[:, 8] < 0.1)

def requested(d, L, f):  # path point at frame f [B,k], and neighbours are the caller's business
    g = lambda i: d["path"][L["start"][:, None] + i]
    hips = lambda i: d["pos"][L["start"] + i, 0][:, [0, 2]]
    a = hips(L["pstart"]) - d["path"][L["start"] + L["pstart"]]
    b = hips(L["target"]) - d["path"][L["start"] + L["target"]]
    w = ((f - L["pstart"][:, None]).float() / (L["target"] - L["pstart"]).clamp(min=1).float()[:, None])[..., None]
    return g(f) + a[:, None] + (b - a)[:, None] * w

def phases_from(d, L, f):  # [B] frames -> [B,7,10,2] vectors, and hertz [B,7,10]
    sf = f[:, None] + torch.arange(7, device=f.device) * 5
    near = torch.minimum(sf, L["n"][:, None] - 1)
    i = L["start"][:, None] + near
    v, h = d["phase"][i], d["hertz"][i]
    ang = 2 * math.pi * h * ((sf - near).float() / 30)[..., None]
    c, s = ang.cos(), ang.sin()
    return torch.stack([c * v[..., 0] - s * v[..., 1], s * v[..., 0] + c * v[..., 1]], -1), h

def rows(d, L, S, drift, no_path_loss=False):
    """S: state with cur_p, cur_r, prev_p, prev_r, ph [B,7,10,2], predicted [B] bool. Returns inputs and truth."""
    dev = S["cur_p"].device
    g = L["start"] + L["frame"]
    span = (L["target"] - L["frame"]).float()
    tar_p, tar_r = d["pos"][L["start"] + L["target"]], d["rot"][L["start"] + L["target"]]
    cp, cr, pp = S["cur_p"], S["cur_r"], S["prev_p"]
    c, s = heading(cr); o = ground(cp)
    cur = cols(c, s, o, cp, cr); tar = cols(c, s, o, tar_p, tar_r); prev = cols(c, s, o, pp, S["prev_r"])
    C, Sn = c[:, None], s[:, None]
    state = torch.cat([cur, toroot(C, Sn, (cp - pp) * 30)], -1)
    with torch.no_grad(): lg = log_between(cr, tar_r)
    goal = torch.cat([tar[..., :3] - cur[..., :3], toroot(C, Sn, lg)], -1)
    # path
    hd = torch.atan2(s, c)
    ages = torch.arange(30, 0, -5, device=dev)[None]
    n = torch.minimum(torch.minimum(1 + L["elapsed"] + L["kp"], L["frame"] + 1), torch.full_like(g, 31))
    back = torch.minimum(ages, (n - 1)[:, None])  # frames before the current one
    isn = (back == 0)
    oxz = o[:, [0, 2]]
    pick = lambda t, i: torch.gather(t, 1, i[..., None].expand(-1, -1, 2))
    posn, face = pick(S["trail"], back), pick(S["face"], back)
    nxt = pick(S["trail"], (back - 1).clamp(min=0))
    v0 = (cp[:, 0] - pp[:, 0])[:, [0, 2]]
    vel = torch.where(isn[..., None], v0[:, None].expand_as(posn), nxt - posn)
    posn = posn - vel * (ages - back).float()[..., None]
    past = (posn, vel * 30, face)
    e = (torch.arange(7, device=dev) * 5).float()[None]
    tz, th = tar_r[:, 0], None
    thd = torch.atan2(tz[:, 0], tz[:, 2])
    dh = thd - hd; dh = torch.atan2(dh.sin(), dh.cos())
    fh = hd[:, None] + dh[:, None] * (e / span[:, None]).clamp(max=1)
    fface = torch.stack([fh.sin(), fh.cos()], -1)
    txz = tar_p[:, 0][:, [0, 2]]
    mv = (txz - oxz) / span[:, None]; ex = v0 - mv
    def at(t):
        tc = torch.minimum(t, span[:, None])
        unit = tc * (1 - tc / span[:, None]) ** 2 * torch.exp(-tc / 32)
        return oxz[:, None] + mv[:, None] * t[..., None] + ex[:, None] * unit[..., None]
    fp = at(e.expand(len(g), 7)); fv = (at(e + 1) - at(e - 1)) / 2
    fv = torch.cat([(mv + ex)[:, None], fv[:, 1:]], 1)
    fi = L["frame"][:, None] + torch.arange(7, device=dev) * 5
    last = L["target"][:, None]
    near = torch.minimum(fi, last); b = torch.maximum(near - 1, L["pstart"][:, None]); a = torch.minimum(near + 1, last)
    rv = (requested(d, L, a) - requested(d, L, b)) / (a - b).clamp(min=1).float()[..., None]
    rp = requested(d, L, near) + rv * (fi - near).float()[..., None]
    h = L["has"][:, None, None]
    fp, fv = torch.where(h, rp, fp), torch.where(h, rv, fv)
    P = torch.cat([past[0], fp], 1) - oxz[:, None]; V = torch.cat([past[1], fv * 30], 1); Fc = torch.cat([past[2], fface], 1)
    tr2 = lambda v: torch.stack([C * v[..., 0] - Sn * v[..., 1], Sn * v[..., 0] + C * v[..., 1]], -1)
    path = torch.cat([tr2(P), tr2(V), tr2(Fc)], -1)
    B = len(g)
    inp = torch.cat([state.reshape(B, -1), goal.reshape(B, -1), path.reshape(B, -1)], 1)
    # gate
    np_ = torch.minimum(torch.minimum(1 + L["elapsed"] + L["kph"], L["frame"] + 1), torch.full_like(g, 31))
    okp = ages < np_[:, None]
    pv = S["tph"][:, AGES] * okp[..., None, None]
    k = torch.arange(64, device=dev).float()
    ang = span.clamp(max=120)[:, None] / 10000 ** (2 * k / 128)
    time = torch.stack([ang.sin(), ang.cos()], -1).reshape(B, 128)
    gate = torch.cat([pv.reshape(B, -1), S["ph"].reshape(B, -1), time, L["has"].float()[:, None]], 1)
    # extrapolation
    w = 1 - 1 / span
    rd = (w * math.exp(-1 / 8))[:, None, None]; rt = (w ** 3 * math.exp(-1 / 32))[:, None, None]
    sp = span[:, None, None]
    exc = cur - prev - (tar - cur) / sp
    hip = exc[:, :1, :3]
    carried = torch.cat([hip * rt + (exc[..., :3] - hip) * rd, exc[..., 3:] * rd], -1)
    extra = cur + (tar - cur) / sp + carried
    nf = g + 1
    nrec = cols(c, s, o, d["pos"][nf], d["rot"][nf])
    rec = cols(c, s, o, d["pos"][g], d["rot"][g])
    dw = (S["predicted"].float() * drift)[:, None, None] * w[:, None, None]
    aim = nrec + dw * (cur - rec)
    truth = ((aim - extra) / w[:, None, None]).reshape(B, -1)
    later = d["contact"][nf]
    planted = d["contact"][g] * later
    lp, lh = phases_from(d, L, L["frame"] + 1)
    truth = torch.cat([truth, later, torch.cat([lp, lh[..., None]], -1).reshape(B, -1)], 1)
    return dict(inp=inp, gate=gate, truth=truth, extra=extra, cur=cur, w=w, planted=planted, c=c, s=s, o=o, nrec=nrec)

def advance(d, L, S, R, out):
    """Next state from raw output rows."""
    row = R["extra"] + R["w"][:, None, None] * out[:, :MOVES].reshape(-1, 22, 9)
    z, y = ortho(row[..., 3:])
    C, Sn = R["c"][:, None], R["s"][:, None]
    pos = R["o"][:, None] + toworld(C, Sn, row[..., :3])
    rot = torch.cat([toworld(C, Sn, z), toworld(C, Sn, y)], -1)
    pt = requested(d, L, (L["frame"] + 1)[:, None])[:, 0]
    off = pt - pos[:, 0][:, [0, 2]]
    rem = off * 0.8
    ln = (rem.square().sum(-1, keepdim=True) + 1e-12).sqrt()
    rem = rem * (0.06 / ln).clamp(max=1)
    mv = torch.where(L["has"][:, None], off - rem, torch.zeros_like(off))
    pos = pos + torch.stack([mv[:, 0], torch.zeros_like(mv[:, 0]), mv[:, 1]], -1)[:, None]
    con = out[:, MOVES:PHASE].clamp(0, 1)
    hold = ((con - 0.4) / 0.4).clamp(0, 1) * R["w"][:, None]
    dlt = (S["cur_p"] - pos)[:, SUPI] * XZ * hold[..., None]
    pos = pos.index_add(1, SUPI, dlt)
    pr = out[:, PHASE:].reshape(-1, 7, 10, 3)
    a = 2 * math.pi * pr[..., 2] / 30
    ph = S["ph"]
    rotd = torch.stack([a.cos() * ph[..., 0] - a.sin() * ph[..., 1], a.sin() * ph[..., 0] + a.cos() * ph[..., 1]], -1)
    zero = (ph == 0).all(-1, keepdim=True)
    nph = torch.where(zero, pr[..., :2], 0.5 * (pr[..., :2] + rotd))
    nz = rot[:, 0]
    nf = torch.stack([nz[:, 0], nz[:, 2]], -1); nf = nf / (nf.square().sum(-1, keepdim=True) + 1e-12).sqrt()
    push = lambda t, x: torch.cat([x[:, None], t[:, :-1]], 1)
    return dict(cur_p=pos, cur_r=rot, prev_p=S["cur_p"], prev_r=S["cur_r"], ph=nph, trail=push(S["trail"], pos[:, 0][:, [0, 2]]).detach(),
        face=push(S["face"], nf).detach(), tph=push(S["tph"], nph[:, 0]).detach())

def start_state(d, L):
    """State from the recording."""
    g = L["start"] + L["frame"]
    cp, cr = d["pos"][g], d["rot"][g]
    pp, pr = d["pos"][g - 1], d["rot"][g - 1]
    t = L["start"] + L["target"]
    span = (L["target"] - L["frame"]).float()[:, None, None]
    first = (L["single"] & (L["elapsed"] == 0))[:, None, None]
    ax = log_between(cr, d["rot"][t]) * (-1 / span)
    sp = cp + (d["pos"][t] - cp) * (-1 / span)
    sr = torch.cat([rotate(cr[..., :3], ax), rotate(cr[..., 3:], ax)], -1)
    ph, _ = phases_from(d, L, L["frame"])
    back = torch.minimum(torch.arange(31, device=g.device)[None], L["frame"][:, None])
    i = g[:, None] - back
    rz = d["rot"][:, 0][i]
    face = torch.stack([rz[..., 0], rz[..., 2]], -1); face = face / (face.square().sum(-1, keepdim=True) + 1e-12).sqrt()
    none = ((L["kph"] == 0) & (L["elapsed"] == 0))[:, None, None, None]
    return dict(cur_p=cp, cur_r=cr, prev_p=torch.where(first, sp, pp), prev_r=torch.where(first, sr, pr), ph=torch.where(none, torch.zeros_like(ph), ph),
        trail=d["pos"][:, 0][i][..., [0, 2]], face=face, tph=d["phase"][i] * (~none).float())


def nrm(sq): return (sq.sum(-1) + 0.01).sqrt() - 0.1
def loss_terms(d, R, out, raw, clamp=8.0):
    B = len(out)
    truth = ((R["truth"] - d["output.mean"]) / d["output.deviation"])
    truth = truth.clamp(-clamp, clamp)
    sq = (out - truth).square()
    m = sq[:, :MOVES].reshape(B, 22, 9)
    f = FACT
    position = (nrm(m[..., :3]) * f).sum() / (B * 22)
    rotation = (nrm(m[..., 3:]) * f).sum() / (B * 22)
    contact = sq[:, MOVES:PHASE].sum() / (B * 4)
    p = sq[:, PHASE:].reshape(B, 70, 3)
    phase = (nrm(p[..., :2]).sum() * 0.5 + nrm(p[..., 2:]).sum() * 0.25) / (B * 70)
    mv = (R["extra"] - R["cur"])[:, SUPI, :3] / 0.01 + raw[:, :MOVES].reshape(B, 22, 9)[:, SUPI, :3] * (R["w"] / 0.01)[:, None, None]
    planted = (nrm(mv.square()) * R["planted"]).sum() / (B * 4)
    return torch.stack([position, rotation, contact, phase, planted])

class Net(nn.Module):
    def __init__(s, d, experts, hidden, gate_hidden=128, seed=7):
        super().__init__()
        g = torch.Generator().manual_seed(seed)
        def rnd(n, a, b, scale):
            bound = scale * math.sqrt(6 / (a + b))
            return nn.Parameter((torch.rand(*([n] if n else []), a, b, generator=g) * 2 - 1) * bound)
        gs = [(GATE, gate_hidden), (gate_hidden, gate_hidden), (gate_hidden, experts)]
        es = [(INPUT, hidden), (hidden, hidden), (hidden, OUTPUT)]
        s.gw = nn.ParameterList([rnd(0, a, b, 1.0) for a, b in gs]); s.gb = nn.ParameterList([nn.Parameter(torch.zeros(b)) for _, b in gs])
        s.ew = nn.ParameterList([rnd(experts, a, b, 2.0 * (0.1 if i == 2 else 1)) for i, (a, b) in enumerate(es)])
        s.eb = nn.ParameterList([nn.Parameter(torch.zeros(experts, b)) for _, b in es])
        s.sizes = dict(experts=experts, gate=GATE, gate_hidden=gate_hidden, hidden=hidden, input=INPUT, output=OUTPUT)
        for n in ("input", "gate_input", "output"):
            for k in ("mean", "deviation"): s.register_buffer(f"{n}_{k}", d[f"{n}.{k}"].clone())
    def forward(s, x, gate, dropout=0.0):
        for l in range(3):
            gate = gate @ s.gw[l] + s.gb[l]
            if l < 2: gate = F.elu(gate)
        sh = torch.softmax(gate, -1)
        for l in range(3):
            if dropout: x = F.dropout(x, dropout)
            E, a, b = s.ew[l].shape
            y = (sh[:, :, None] * x[:, None]).reshape(-1, E * a) @ s.ew[l].reshape(E * a, b) + sh @ s.eb[l]
            x = F.elu(y) if l < 2 else y
        return x
    def normal(s, R):
        return (((R["inp"] - s.input_mean) / s.input_deviation).clamp(-6, 6), ((R["gate"] - s.gate_input_mean) / s.gate_input_deviation).clamp(-6, 6))
    def raw(s, out): return out * s.output_deviation + s.output_mean
    def tensors(s):
        t = {}
        for l in range(3):
            t[f"gate.{l}.weight"], t[f"gate.{l}.bias"] = s.gw[l], s.gb[l]
            t[f"experts.{l}.weight"], t[f"experts.{l}.bias"] = s.ew[l], s.eb[l]
        for n in ("input", "gate_input", "output"):
            for k in ("mean", "deviation"): t[f"{n}.{k}"] = getattr(s, f"{n}_{k}")
        return t
    def load(s, path):
        from safetensors import safe_open
        f = safe_open(path, "pt")
        with torch.no_grad():
            for n, t in s.tensors().items():
                v = f.get_tensor(n).float()
                if n + ".scale" in f.keys():
                    sc = f.get_tensor(n + ".scale").float()
                    v = v * (sc[:, None] if v.dim() == 3 else sc)
                t.copy_(v)

def noise_mask(x, noise, u1, u2, u3):
    """u1 [B,264], u2 [B], u3 [B,21]: uniform random numbers."""
    B = len(x)
    add = noise * math.sqrt(12) * (u1 - 0.5)
    keep = ~((u2[:, None] < 0.1) & (u3 < 0.5))
    m = torch.cat([torch.ones(B, 264 + 6, device=x.device), keep.float().repeat_interleave(6, 1), torch.ones(B, 78, device=x.device)], 1)
    return (x + F.pad(add, (0, INPUT - 264))) * m

DEV = torch.tensor([0.5, 0.25, 0.35])
@torch.no_grad()
def validate(net, d, fn=None):
    dev = d["pos"].device
    res, tot, totq = {}, 0, 0
    for gap in (15, 30, 60, 90):
        G = d["gaps"][d["gaps"][:, 0] == gap]
        start = torch.tensor(G[:, 1]).long().to(dev); frame = torch.tensor(G[:, 2]).long().to(dev)
        B = len(frame)
        z = torch.zeros_like(frame)
        L = dict(start=start, n=torch.tensor([d["held"][int(x)] for x in G[:, 1]]).to(dev), frame=frame, elapsed=z, remaining=z + gap, target=frame + gap + 1,
            kp=z + 9, kph=z, has=z > 0, pstart=frame, single=z > 0)
        S = start_state(d, L)
        S["predicted"] = z > 0
        sp, sq, slide, cnt = 0, 0, 0, 0
        for i in range(gap):
            R = rows(d, L, S, 0.85)
            raw = net.raw(net(*net.normal(R)))
            S2 = advance(d, L, S, R, raw)
            S2["predicted"] = z == 0
            L = dict(L, frame=L["frame"] + 1, elapsed=L["elapsed"] + 1)
            g = L["start"] + L["frame"]
            sp = sp + ((S2["cur_p"] - d["pos"][g]) / DEV.to(dev)).square().sum((1, 2)).sqrt()
            qa, qb = quat(mat(S2["cur_r"])), quat(mat(d["rot"][g]))
            dq = torch.minimum((qa - qb).square().sum(-1), (qa + qb).square().sum(-1))
            sq = sq + dq.sum(1).sqrt()
            pl = d["contact"][g][:, :4]
            slide = slide + ((S2["cur_p"] - S["cur_p"])[:, SUP[:4]][..., [0, 2]].norm(dim=-1) * pl).sum() * 100; cnt = cnt + pl.sum()
            S = S2
        a, b = (sp / gap).mean().item() / G[:, 3].mean(), (sq / gap).mean().item() / G[:, 4].mean()
        res[gap] = (round(a, 4), round(b, 4), round((slide / cnt).item(), 3))
        tot += a / 4; totq += b / 4
    return round(tot, 4), round(totq, 4), res
