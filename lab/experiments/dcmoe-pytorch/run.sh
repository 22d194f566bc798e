# run.sh DEADLINE CONFIG: CONFIG has lines: set name json
export T0=$(date +%s.%N) PYTHONUNBUFFERED=1 TORCHINDUCTOR_COMPILE_THREADS=4 TORCHINDUCTOR_CACHE_DIR=/tmp/ind
cd .exp; date +%T
[ -f /tmp/both.pack ] || xz -dc both.pack.xz > /tmp/both.pack
for s in research open; do
  if grep -q "^$s " $2 && [ ! -f /dev/shm/$s/gaps.txt ]; then mkdir -p /dev/shm/$s; ./dump /tmp/both.pack $s.json periodic-open.safetensors /dev/shm/$s 14; fi
done
date +%T
common='"compile":true,"log":500,"every":40,"deadline":'$1',"out":"'$OUT'","licence":"research only, not for commercial use"'
while read set name json; do
  [ -z "$set" ] && continue
  python3 train.py /dev/shm/$set "{$common,\"set\":\"$set\",\"name\":\"$name\",$json}" > $OUT/$name.log 2>&1 &
done < $2
sleep 120; nvidia-smi --query-gpu=name,utilization.gpu,memory.used --format=csv,noheader
wait
date +%T
for l in $OUT/*.log; do echo == $l; head -c 600 $l | head -2; grep -v "^[0-9]" $l | tail -9 | cut -c1-600; grep "^[0-9]" $l | tail -3; done
