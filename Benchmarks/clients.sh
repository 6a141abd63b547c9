#!/usr/bin/env bash
# Compares the session of this project with async-http-client and with Foundation's URLSession, in turn, against nginx on
# this machine: small GETs, 64 at a time and one at a time, and a file that is downloaded. Prints the medians of all
# rounds, and the ratios to async-http-client.
#
# usage: Benchmarks/clients.sh [ROUNDS]     (5 by default; after `Scripts/setup bench`)
# REQUESTS (100000) changes the number of GETs, MEBIBYTES (2048) the size of the file, UPSTREAM the address of nginx,
# CLIENT_BENCH the program. The folder for the files is that of TMPDIR.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly rounds=${1:-5}
readonly requests=${REQUESTS:-100000}
readonly mebibytes=${MEBIBYTES:-2048}
readonly upstream=${UPSTREAM:-127.0.0.1:18081}
readonly clients=(errand async-http-client URLSession)

# shellcheck source=Benchmarks/processes.sh
source Benchmarks/processes.sh

if [[ -z ${CLIENT_BENCH:-} ]]; then
    swift build --configuration release --package-path Benchmarks/clients --product client-bench >&2
    CLIENT_BENCH=$(swift build --configuration release --package-path Benchmarks/clients --show-bin-path)/client-bench
fi

# measure NAME COMMAND...: runs all clients in turn, each with COMMAND, in which FILE is a new path, and prints a line for
# each: the median of the first figure, of the processor time, and their ratios to async-http-client.
measure() {
    local name=$1 round client
    shift
    for client in "${clients[@]}"; do : >"$folder/$client"; done
    for ((round = 1; round <= rounds; round++)); do
        for client in "${clients[@]}"; do
            "$CLIENT_BENCH" "$client" "${@/#FILE/$folder/downloaded}" >>"$folder/$client" ||
                fail "$client ended with an error"
            if [[ -e $folder/downloaded ]]; then
                cmp --quiet "$folder/file" "$folder/downloaded" || fail "$client wrote another file"
                rm "$folder/downloaded"
            fi
        done
    done
    for client in "${clients[@]}"; do
        awk -v name="$name" -v client="$client" -v first="$(median "$folder/$client")" \
            -v time="$(median "$folder/$client" 2)" -v other="$(median "$folder/async-http-client")" \
            -v other_time="$(median "$folder/async-http-client" 2)" 'BEGIN {
                printf "%-22s %-18s %10s %6.2f %10s %6.2f\n", name, client, first, first / other, time, time / other_time
            }'
    done
}

start_nginx "$upstream"
printf '%-22s %-18s %10s %6s %10s %6s\n' 'GET' client 'requests/s' ratio 'CPU, µs' ratio
measure "$requests, 64 at a time" get "http://$upstream/" "$requests" 64
measure "$((requests / 5)), one at a time" get "http://$upstream/" $((requests / 5)) 1
stop_last

head --bytes="${mebibytes}M" /dev/urandom >"$folder/file"
start_nginx_files "$upstream"
printf '\n%-22s %-18s %10s %6s %10s %6s\n' 'download' client 'time, s' ratio 'CPU, s' ratio
measure "$mebibytes MiB" file "http://$upstream/file" FILE
