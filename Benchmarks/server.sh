#!/usr/bin/env bash
# Measures requests per second of GET /healthz and of GET /v1/tasks/{id} (a finished task) with 1 to 512 keep-alive
# clients, each compared with nginx (`return 200`) and with a bare libmicrohttpd loop (microhttpd-loop.c), in turn. Both
# send the body that Errand sends. On a machine with other work, the ratio is more meaningful than the figure.
#
# usage: Benchmarks/server.sh [SECONDS [ROUNDS]]     (of each run, 3 by default; 3 rounds, of which it prints the
#        medians; after `make build` and `Scripts/setup bench`)
# CLIENTS ("1 64 128 512") changes the load, GATEWAY, UPSTREAM and LOOP the addresses (on 127.0.0.1), ERRAND the binary.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly seconds=${1:-3}
readonly rounds=${2:-3}
readonly gateway=${GATEWAY:-127.0.0.1:18080}
readonly nginx=${UPSTREAM:-127.0.0.1:18081}
readonly loop=${LOOP:-127.0.0.1:18082}

# shellcheck source=Benchmarks/processes.sh
source Benchmarks/processes.sh

# requests_per_second CLIENTS URL: fails when a response was not a 2xx or a connection broke.
requests_per_second() {
    local output
    output=$(wrk --threads 1 --connections "$1" --duration "${seconds}s" "$2")
    ! grep -E 'Non-2xx|Socket errors' <<<"$output" >&2 || fail "$2 with $1 clients: see above"
    sed -n 's/^Requests\/sec: *\([0-9]*\).*/\1/p' <<<"$output"
}

# compare PATH TITLE: prints a table with a line for each number of clients.
compare() {
    local body address clients round
    body=$(curl --silent --show-error --fail "http://$gateway$1")
    start_nginx "$nginx" "$body"
    start loop "$loop" "http://$loop/" "$folder/microhttpd-loop" "${loop##*:}" "$body"
    printf '\n%s, %d bytes\n' "$2" "${#body}"
    printf '%8s %12s %12s %7s %14s %7s\n' clients errand/s nginx/s ratio microhttpd/s ratio
    for clients in ${CLIENTS:-1 64 128 512}; do
        rm -f "$folder"/rates-*
        for ((round = 1; round <= rounds; round++)); do
            for address in "$gateway" "$nginx" "$loop"; do
                requests_per_second "$clients" "http://$address$1" >>"$folder/rates-$address"
            done
        done
        awk -v c="$clients" -v o="$(median "$folder/rates-$gateway")" -v n="$(median "$folder/rates-$nginx")" \
            -v l="$(median "$folder/rates-$loop")" \
            'BEGIN { printf "%8d %12d %12d %7.2f %14d %7.2f\n", c, o, n, o / n, l, o / l }'
    done
    stop_last
    stop_last
}

build_c microhttpd-loop -lmicrohttpd
start_gateway "$gateway" "$nginx" full 64
start_nginx "$nginx"
task=$(curl --silent --show-error --fail --json '{"session":"upstream","path":"task"}' \
    "http://$gateway/v1/tasks?wait=10s" | jq --raw-output 'select(.state == "succeeded").id')
[[ -n $task ]] || fail "the task did not succeed"
stop_last

compare /healthz 'GET /healthz'
compare "/v1/tasks/$task" 'GET /v1/tasks/{id} of a finished task'
