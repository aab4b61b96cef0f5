#!/bin/bash
# The stages of making an adapter on a GPU machine: `bash training/round.sh STAGE NAME ...`, where
# WORK holds model.gguf and data/. That machine is thrown away and has no network: solutions run
# in plain processes with limits.
#   tests NAME [ADAPTER [SCALE]]   every test, before or after
#   choose NAME ADAPTER [SCALE]    only the requests that choose between adapters
#   policy NAME [OPTIONS...]       rounds of replies and steps (training/policy.py)
#   sample NAME, train NAME KEPT.. replies that are kept and imitated (training/train.py)
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

# Samples of files of requests, with an adapter if there is one; then what is right of them.
scored() {
    local adapter=${1:-} scale=${2:-1.0} names=$3 more=${4:-}
    local files=() one
    for one in $names $more; do files+=("$WORK/data/$one.jsonl.gz"); done
    python3 -m training.sample "$WORK/model.gguf" "${files[@]}" "$HERE" --slots "$SLOTS" \
        --limit-s "${LIMIT_S:-150}" ${adapter:+--adapter "$adapter" --scale "$scale"}
    note "sampled"
    for one in $names; do
        echo "-- $one"
        python3 -m training.filter "$WORK/data/$one.jsonl.gz" "$HERE/$one.jsonl" \
            "$HERE/${one}_scored.jsonl" --only-score --disposable
    done
}

case $STAGE in
tests)
    scored "${1:-}" "${2:-1.0}" "held valid dev families plain" "code general"
    (cd "$HERE" && tar -czf tests.tar.gz ./*.jsonl)
    ;;
choose)
    scored "$1" "${2:-1.0}" valid
    ;;
policy)
    python3 -m training.policy "$WORK/model.gguf" "$WORK/data" "$HERE" --slots "$SLOTS" "$@"
    ;;
sample)
    python3 -m training.sample "$WORK/model.gguf" "$WORK/data/train.jsonl.gz" "$HERE" \
        --slots "$SLOTS" --limit-s "${LIMIT_S:-200}" --seed "${SEED:-11}" ${1:+--adapter "$1"}
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
