#!/usr/bin/env bash
# Compares transfers per second of the engine with those of a plain C loop over libcurl (curl-loop.c), in turn, against
# nginx on this machine: many at a time, one at a time, and many beside others that wait for a response.
#
# usage: Benchmarks/engine.sh [ROUNDS [TRANSFERS [CONCURRENCY [PARKED]]]]     (5 rounds of 200000 transfers, 64 at a
#        time, beside 5000; prints the medians; after `Scripts/setup bench`)
# UPSTREAM changes the address of nginx, ENGINE_BENCH the program.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly rounds=${1:-5}
readonly transfers=${2:-200000}
readonly concurrency=${3:-64}
readonly parked=${4:-5000}
readonly upstream=${UPSTREAM:-127.0.0.1:18081}

# shellcheck source=Benchmarks/processes.sh
source Benchmarks/processes.sh

if [[ -z ${ENGINE_BENCH:-} ]]; then
    swift build --configuration release --package-path Benchmarks --product engine-bench >&2
    ENGINE_BENCH=$(swift build --configuration release --package-path Benchmarks --show-bin-path)/engine-bench
fi

# compare NAME ARGUMENT...: runs both programs in turn, and prints the medians of their rates with the ratio.
compare() {
    local name=$1 round
    shift
    : >"$folder/loop-rates"
    : >"$folder/engine-rates"
    for ((round = 1; round <= rounds; round++)); do
        "$folder/curl-loop" "http://$upstream/" "$@" >>"$folder/loop-rates"
        "$ENGINE_BENCH" "http://$upstream/" "$@" >>"$folder/engine-rates"
    done
    awk -v name="$name" -v loop="$(median "$folder/loop-rates")" -v engine="$(median "$folder/engine-rates")" \
        'BEGIN { printf "%-36s %14.0f %14.0f %7.2f\n", name, loop, engine, engine / loop }'
}

ulimit -n 20000 2>/dev/null || ulimit -n "$(ulimit -H -n)"
build_c curl-loop -lcurl
build_c silent-server
start_nginx "$upstream"
"$folder/silent-server" >"$folder/silent" &
started=("$!" "${started[@]}")
until [[ -s $folder/silent ]]; do sleep 0.05; done
silent=http://127.0.0.1:$(<"$folder/silent")/

printf '%-36s %14s %14s %7s\n' transfers 'C loop, /s' 'engine, /s' ratio
compare "$concurrency at a time" "$transfers" "$concurrency"
compare '1 at a time' "$((transfers / 10))" 1
compare "$concurrency at a time beside $parked" "$transfers" "$concurrency" "$silent" "$parked"
