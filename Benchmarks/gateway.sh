#!/usr/bin/env bash
# Measures tasks per second, from the first POST to the end of the last task, and the latency of a create. Gateway,
# upstream (nginx, a small JSON response) and load (task-load.c) share this machine.
#
# usage: Benchmarks/gateway.sh [ROUNDS]     (after `make build`)
# TASKS (20000) and CONNECTIONS (64) change the load, GATEWAY and UPSTREAM the addresses, ERRAND the binary.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly gateway=${GATEWAY:-127.0.0.1:18080}
readonly upstream=${UPSTREAM:-127.0.0.1:18081}

# shellcheck source=Benchmarks/processes.sh
source Benchmarks/processes.sh

cc -O2 -Wall -Wextra -Werror -o "$folder/task-load" Benchmarks/task-load.c
start_nginx "$upstream"

# With a limit of 512 a task nearly always starts at once; with 64 most wait in the queue, which costs another write.
for setting in "full 512" "full 64" "normal 512"; do
    read -r durability limit <<<"$setting"
    start_gateway "$gateway" "$upstream" "$durability" "$limit"
    for ((round = 1; round <= ${1:-3}; round++)); do
        printf '\n%s durability, %d at once, round %d\n' "$durability" "$limit" "$round"
        "$folder/task-load" -c "${CONNECTIONS:-64}" -n "${TASKS:-20000}" \
            "${gateway%:*}" "${gateway##*:}" '{"session":"upstream","path":"task"}'
    done
    printf 'resident memory of the gateway: '
    ps -o rss= -p "${started[0]}" | awk '{ printf "%.0f MiB\n", $1 / 1024 }'
    stop_last
done
