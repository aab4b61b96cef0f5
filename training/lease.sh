#!/bin/bash
# A whole lease without a hand on it: `bash training/lease.sh SECONDS`. Rounds for that long, then
# every test with the last adapter, and with 0.7 of it; WORK/lease.log tells how far it is.
set -uo pipefail
WORK=${WORK:-/root/gpu}
bash training/round.sh policy rl --limit-s "$1" >"$WORK/rl.log" 2>&1
LAST=$(ls "$WORK"/rl/adapter-*.gguf | tail -1)
cp "$LAST" "$WORK/adapter.gguf"
for scale in 1.0 0.7; do
    bash training/round.sh tests "after$scale" "$WORK/adapter.gguf" "$scale" >"$WORK/after$scale.log" 2>&1
done
touch "$WORK/finished"
