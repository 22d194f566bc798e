# usage: run.sh DEADLINE(seconds from now) SAVE LABEL
export T0=$(date +%s.%N) PYTHONUNBUFFERED=1 TORCHINDUCTOR_COMPILE_THREADS=4 TORCHINDUCTOR_CACHE_DIR=/tmp/ind
W=/tmp/kb; [ $(df -m --output=avail /dev/shm | tail -1) -gt 12000 ] && W=/dev/shm/kb
cd .exp; [ -f /tmp/all.pack ] || xz -dc all.pack.xz > /tmp/all.pack
pkill stream; rm -rf $W; date +%T
common='"compile":true,"ema":0.999,"seed":71,"rate":0.0012,"cool":0.65,"every":60,"deadline":'$1',"save":'$2
run() { # name recipe model
  mkdir -p $W/$1; ./stream /tmp/all.pack $2 base.safetensors $W/$1 1 1 validation && { ./stream /tmp/all.pack $2 base.safetensors $W/$1 ${4:-3} 40 & echo $! >> $W/pids; }
  python3 train.py $W/$1 "{$common,\"out\":\"$OUT\",\"models\":[$3]}" > $OUT/$1.log 2>&1 & echo $! >> $W/py
}
mkdir -p $W
run a recipe.json '{"name":"a","width":256,"inner":768,"layers":6,"heads":8,"dropout":0.1}'
run b recipe.json '{"name":"b","width":512,"inner":1536,"layers":8,"heads":8,"dropout":0.2}'
run c recipe-speeds.json '{"name":"c","width":256,"inner":768,"layers":6,"heads":8,"dropout":0.05}'
run d recipe.json '{"name":"d","width":192,"inner":512,"layers":6,"heads":6,"dropout":0.05,"from":"base.safetensors"}'
for p in $(cat $W/py); do while kill -0 $p 2>/dev/null; do sleep 0.5; done; done
kill $(cat $W/pids); rm -rf $W
nvidia-smi --query-gpu=name,utilization.gpu,memory.used --format=csv,noheader
for l in a b c d; do echo == $l; grep -v "^[0-9]" $OUT/$l.log | tail -4; grep "^[0-9]" $OUT/$l.log | tail -2; done
