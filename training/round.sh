#!/bin/bash
# One round on a GPU machine: `bash training/round.sh STAGE NAME [ADAPTER | KEPT...]`, where WORK
# holds model.gguf and data/. Stages: tests (before or after, with an adapter), sample, train.
# That machine is thrown away and has no network: solutions run in plain processes with limits.
set -euo pipefail
WORK=${WORK:-/root/gpu}
SLOTS=${SLOTS:-2048}
STAGE=$1 NAME=$2
shift 2
HERE=$WORK/$NAME
mkdir -p "$HERE"
export PYTHONUNBUFFERED=1 OPENBLAS_NUM_THREADS=1
began=$SECONDS

note() { echo "== $1, after $((SECONDS - began)) s"; }

with_adapter() { if [ -n "${1:-}" ]; then echo "--adapter $1"; fi; }

case $STAGE in
tests)
    ADAPTER=${1:-}
    FILES=$(for one in held valid dev families plain code; do echo "$WORK/data/$one.jsonl.gz"; done)
    # shellcheck disable=SC2046,SC2086
    python3 -m training.sample "$WORK/model.gguf" $FILES "$HERE" --slots "$SLOTS" ${SAMPLE:-} \
        --limit-s "${LIMIT_S:-120}" $(with_adapter "$ADAPTER")
    note "tests sampled"
    for one in held valid dev families plain; do
        echo "-- $one"
        python3 -m training.filter "$WORK/data/$one.jsonl.gz" "$HERE/$one.jsonl" \
            "$HERE/${one}_scored.jsonl" --only-score --disposable
    done
    tar -C "$HERE" -czf "$HERE/tests.tar.gz" $(cd "$HERE" && ls ./*.jsonl | grep -v train)
    ;;
sample)
    ADAPTER=${1:-}
    # shellcheck disable=SC2046
    python3 -m training.sample "$WORK/model.gguf" "$WORK/data/train.jsonl.gz" "$HERE" \
        --slots "$SLOTS" ${SAMPLE:-} --limit-s "${LIMIT_S:-200}" --seed "${SEED:-11}" $(with_adapter "$ADAPTER")
    note "sampled"
    python3 -m training.filter "$WORK/data/train.jsonl.gz" "$HERE/train.jsonl" \
        "$HERE/kept.jsonl.gz" --disposable
    ;;
train)
    zcat "$@" | sort -u >"$HERE/all.jsonl"
    wc -l "$HERE/all.jsonl"
    # shellcheck disable=SC2086
    python3 -m training.train "$WORK/model.gguf" "$HERE/all.jsonl" "$HERE/adapter.gguf" \
        --limit-s "${LIMIT_S:-240}" ${TRAIN:-}
    sha256sum "$HERE/adapter.gguf"
    ;;
esac
note "$STAGE done"
