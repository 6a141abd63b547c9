#!/usr/bin/env bash
# Measures requests per second of GET /healthz with 1 to 512 keep-alive clients, each compared with nginx (`return 200`)
# in the same minute: on a machine with other work, the ratio is more meaningful than the figure.
#
# usage: Benchmarks/server.sh [SECONDS]     (of each run, 3 by default; after `make build`)
# GATEWAY and UPSTREAM change the addresses, ERRAND the binary.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly gateway=${GATEWAY:-127.0.0.1:18080}
readonly baseline=${UPSTREAM:-127.0.0.1:18081}

# shellcheck source=Benchmarks/processes.sh
source Benchmarks/processes.sh

# requests_per_second CLIENTS URL: fails when a response was not a 2xx or a connection broke.
requests_per_second() {
    local output
    output=$(wrk --threads 1 --connections "$1" --duration "${seconds}s" "$2")
    ! grep -E 'Non-2xx|Socket errors' <<<"$output" >&2 || fail "$2 with $1 clients: see above"
    sed -n 's/^Requests\/sec: *\([0-9]*\).*/\1/p' <<<"$output"
}

readonly seconds=${1:-3}
start_nginx "$baseline"
start_gateway "$gateway" "$baseline" full 64

printf '%8s %12s %12s %7s\n' clients errand/s nginx/s ratio
for clients in 1 64 127 128 129 256 512; do
    ours=$(requests_per_second "$clients" "http://$gateway/healthz")
    theirs=$(requests_per_second "$clients" "http://$baseline/")
    awk -v c="$clients" -v o="$ours" -v t="$theirs" 'BEGIN { printf "%8d %12d %12d %7.2f\n", c, o, t, o / t }'
done
