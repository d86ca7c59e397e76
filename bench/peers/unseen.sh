#!/usr/bin/env bash
# unseen.sh VFLC PYTHON OUT: the problems of unseen.py, vflc and four peers in turn, pinned to one core, three seeds; the tables go to OUT/table.md and OUT/agree.txt.
# CORE, SEEDS, PROBLEMS and PEERS choose another core or fewer runs; LIMIT is the CPU time in seconds after which a run counts as failed, each of vflc's two. What OUT/runs.jsonl has is not run again.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
vflc=$1 python=$2 out=$3
: "${CORE:=0}" "${SEEDS:=1 2 3}" "${LIMIT:=1200}" "${PEERS:=vflc numpyro numpyro-dense nutpie nutpie-lowrank}"
: "${PROBLEMS:=$(cd "$here/unseen" && ls -- *.vfl | sed 's/\.vfl$//')}"
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 RAYON_NUM_THREADS=1
mkdir -p "$out"
touch "$out/runs.jsonl"
"$python" "$here/unseen.py" simulate "$out/data"
for seed in $SEEDS; do
  for problem in $PROBLEMS; do
    for peer in $PEERS; do
      [[ $problem =~ ^(garch_t|arma)$ && $peer = nutpie* ]] && continue  # loops over time
      grep -q "\"peer\": \"$peer\", \"problem\": \"$problem\", \"seed\": $seed," "$out/runs.jsonl" && continue
      run=("$python" "$here/unseen.py" "$peer" "$problem" "$out/data" --seed "$seed")
      [[ $peer = vflc ]] && run=("$python" "$here/vflc.py" "$vflc" "$problem" "$out/data" --seed "$seed" --cores 1)
      echo "$(date +%T) $problem $peer seed $seed" >&2
      if (ulimit -t "$LIMIT" && taskset -c "$CORE" "${run[@]}") >"$out/line" 2>"$out/error"; then
        tail -n 1 "$out/line" >>"$out/runs.jsonl"
      else
        "$python" -c 'import json, sys; print(json.dumps(dict(peer=sys.argv[1], problem=sys.argv[2], seed=int(sys.argv[3]), error=open(sys.argv[4]).read()[-2000:] or "time")))' \
          "$peer" "$problem" "$seed" "$out/error" >>"$out/runs.jsonl"
      fi
    done
  done
done
"$python" "$here/unseen.py" collect "$out/runs.jsonl" "$out/out.json"
"$python" "$here/configured.py" . table "$out/out.json" | tee "$out/table.md"
"$python" "$here/held.py" agree "$out/out.json" | tee "$out/agree.txt"
