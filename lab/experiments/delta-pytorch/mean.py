import sys, json, re
src = open('/work/main/.exp/train.py').read()
sys.argv = ['x', '/dev/shm/kb', '{"seconds":1,"out":"/tmp/o","models":[],"compile":false,"ema":0.99,"seed":1,"rate":0.001,"cool":0.6,"every":1000,"save":false,"steps":0}']
src = src.split("for k in range(3): threading")[0] + src[src.index("VAL = []"):src.index("learners =")]
exec(src)
cfg = {"a":(256,768,6,8,"/tmp/gpu/a.safetensors"),"c":(256,768,6,8,"/tmp/gpu/c.safetensors"),"d":(192,512,6,6,"/tmp/gpu/d.safetensors"),"s":(192,512,6,6,"/work/main/models/delta-research.safetensors"),"o":(192,512,4,6,"/work/main/models/delta-open.safetensors")}
out = {}
import os
statfix = None
for k,(w,i,l,h,p) in cfg.items():
    n = Net(w,i,l,h,0,1); n.load(p); n.eval()
    with torch.no_grad(): out[k] = [gather(n([(g["rows"].float(), g["mask"])])[0], g["past"], G) for _,G,_,g in VAL]
dv = torch.tensor([0.5, 0.25, 0.35])
def score(outs):
    res = {}
    for j,(name,gap,ref,g) in enumerate(VAL):
        o = sum(wt*out[k][j] for k,wt in outs.items())
        h = g["hips"]; rot = g["base"] + o[..., :132]*h[..., 10:11]; root = h[..., :3] + o[..., 132:135]*h[..., 11:12]
        W,G = rot.shape[:2]; off = g["offsets"][:,None].expand(W,G,22,3).reshape(-1,22,3)
        p,_ = fk(rot.reshape(-1,22,6), root.reshape(-1,3), off); t,_ = fk(g["local"].reshape(-1,22,6), h[...,3:6].reshape(-1,3), off)
        res[name+str(gap)] = (((p-t)/dv).square().sum((1,2)).sqrt().mean()/ref).item()
    m = lambda k: sum(res[k+str(x)] for x in (5,15,30,45))/4
    return [round(res["val"+str(x)],4) for x in (5,15,30,45,60,90)], round(m("val"),4), round(m("train"),4)
for c in ["s","d","a","c","sa","sc","ac","dac","sac","sdac"]:
    print(c, *score({k:1/len(c) for k in c}))
