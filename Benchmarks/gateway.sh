#!/usr/bin/env bash
# Compares Errand with a C gateway without features (reference-gateway.c), in turn, each with an empty store: tasks per
# second from the first POST to the end of the last task, the latency of a create, and the processor time of a task.
# Gateway, upstream (nginx, a small JSON response) and load (task-load.c) share this machine. Prints the medians of all
# rounds, and their ratios, last.
#
# With LONG, runs that many tasks through one Errand instead, and compares its last 50,000 with the first 50,000 of another
# one, directly afterwards: within minutes a shared machine becomes faster or slower by more than the limit. Fails if the
# rate of the last is below 0.95 of that of the first.
#
# usage: Benchmarks/gateway.sh [ROUNDS]     (5 by default; after `make build` and `Scripts/setup bench`)
#        LONG=1000000 Benchmarks/gateway.sh
# TASKS (20000) and CONNECTIONS (64) change the load, WINDOW (50000) the compared tasks of a long run, GATEWAY and
# UPSTREAM the addresses (on 127.0.0.1), ERRAND the binary.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly rounds=${1:-5}
readonly tasks=${TASKS:-20000}
readonly gateway=${GATEWAY:-127.0.0.1:18080}
readonly upstream=${UPSTREAM:-127.0.0.1:18081}
readonly columns=('tasks/s' 'create p50, ms' 'create p99, ms' 'processor time of a task, µs' 'memory at the end, MiB')

# shellcheck source=Benchmarks/processes.sh
source Benchmarks/processes.sh

# load COUNT: creates tasks at the last started gateway, waits for their ends, and prints a value for each of `columns`.
load() {
    local process=${started[0]} before after figures
    before=$(processor_microseconds "$process")
    figures=$("$folder/task-load" -m -c "${CONNECTIONS:-64}" -n "$1" \
        "${gateway%:*}" "${gateway##*:}" '{"session":"upstream","path":"task"}') || fail "the load ended with an error"
    after=$(processor_microseconds "$process")
    printf '%s %s %s\n' "$figures" \
        "$(awk -v time=$((after - before)) -v tasks="$1" 'BEGIN { printf "%.1f", time / tasks }')" \
        "$(resident_mebibytes "$process")"
}

# table FIRST SECOND FIGURES FIGURES: prints two lines of figures as columns with these titles, and their ratios.
table() {
    local first second index
    read -r -a first <<<"$3"
    read -r -a second <<<"$4"
    printf '%-30s %12s %12s %7s\n' '' "$1" "$2" ratio
    for index in "${!columns[@]}"; do
        awk -v name="${columns[index]}" -v first="${first[index]}" -v second="${second[index]}" 'BEGIN {
            ratio = first + 0 == 0 ? "-" : sprintf("%.2f", second / first)
            printf "%-30s %12s %12s %7s\n", name, first, second, ratio
        }'
    done
}

# medians FILE: prints the median of each column.
medians() {
    local index
    for index in "${!columns[@]}"; do printf '%s ' "$(median "$1" $((index + 1)))"; done
}

# compare DURABILITY LIMIT: runs both gateways in turn, and adds a table to the file `results`.
compare() {
    local round program figures
    rm -f "$folder/reference" "$folder/gateway"
    for ((round = 1; round <= rounds; round++)); do
        for program in reference gateway; do
            "start_$program" "$gateway" "$upstream" "$1" "$2"
            load 1000 >"$folder/warm-up"
            figures=$(load "$tasks")
            stop_last
            printf '%s\n' "$figures" >>"$folder/$program"
            printf '%s, %d at once, round %d, %s: %s\n' "$1" "$2" "$round" "${program/gateway/errand}" "$figures"
        done
    done
    {
        printf '\n%s durability, %d at once, medians (rounds: %d)\n' "$1" "$2" "$rounds"
        table reference errand "$(medians "$folder/reference")" "$(medians "$folder/gateway")"
    } >>"$folder/results"
}

# long_run COUNT: compares the last tasks of one gateway with the first of another one.
long_run() {
    local window=${WINDOW:-50000} first last fresh
    (($1 >= 2 * window)) || fail "LONG is below two times $window"
    start_gateway "$gateway" "$upstream" full 512
    first=$(load "$window")
    (($1 == 2 * window)) || load $(($1 - 2 * window)) >"$folder/between"
    last=$(load "$window")
    stop_last
    start_gateway "$gateway" "$upstream" full 512
    fresh=$(load "$window")
    stop_last
    printf '%d tasks, full durability, 512 at once: the first and the last %d\n' "$1" "$window"
    table first last "$first" "$last"
    printf '\nThe first %d of another gateway, directly after these, and the last\n' "$window"
    table first last "$fresh" "$last"
    awk -v first="${fresh%% *}" -v last="${last%% *}" 'BEGIN { exit last < 0.95 * first }' ||
        fail "the rate of the last $window tasks is below 0.95 of that of the first"
}

build_c task-load
start_nginx "$upstream"
if [[ -n ${LONG:-} ]]; then
    long_run "$LONG"
    exit
fi
build_c reference-gateway -lmicrohttpd -lcurl -lsqlite3 -lpthread
printf 'each line: %s\n' "$(printf '%s; ' "${columns[@]}")"
# With a limit of 512 a task nearly always starts at once; with 64 most wait in the queue, which costs Errand a write.
compare full 512
compare full 64
compare normal 512
cat "$folder/results"
