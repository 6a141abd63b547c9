#!/usr/bin/env bash
# Compares a download and an upload of a large file by the gateway with `curl -o` and `curl -T`, in turn, against nginx on
# this machine. A download ends when its file is on the medium, an upload with the response of nginx. Prints the medians
# of all rounds, the ratios, and the largest resident memory of the gateway.
#
# usage: Benchmarks/transfers.sh [ROUNDS]     (3 by default; after `make build` and `Scripts/setup bench`)
# MEBIBYTES (10240) changes the size of the file, GATEWAY and UPSTREAM the addresses, ERRAND the binary. The folder for
# the files is that of TMPDIR; it needs room for three of them.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly rounds=${1:-3}
readonly mebibytes=${MEBIBYTES:-10240}
readonly gateway=${GATEWAY:-127.0.0.1:18080}
readonly upstream=${UPSTREAM:-127.0.0.1:18081}

# shellcheck source=Benchmarks/processes.sh
source Benchmarks/processes.sh

# timed FILE COMMAND...: adds the seconds that a command takes to a list.
timed() {
    local list=$1 start=${EPOCHREALTIME/./}
    shift
    "$@" || fail "$1 failed"
    awk -v time=$((${EPOCHREALTIME/./} - start)) 'BEGIN { printf "%.2f\n", time / 1e6 }' >>"$folder/$list"
}

# finish FILE: checks that the file is the right one, and removes it.
finish() {
    cmp --quiet "$folder/file" "$1" || fail "$1 is another file"
    rm "$1"
}

# run_task DOCUMENT: creates a task and waits for its success.
run_task() {
    local task state
    task=$(curl --silent --show-error --fail-with-body --json "$1" "http://$gateway/v1/tasks" | tee "$folder/created" | jq --raw-output .id)
    while state=$(curl --silent --show-error --fail "http://$gateway/v1/tasks/$task?wait=30s" | jq --raw-output .state); do
        case $state in
            succeeded) return ;;
            failed | canceled) fail "the task is $state: $(curl --silent "http://$gateway/v1/tasks/$task")" ;;
        esac
    done
    fail "the task cannot be read: $(<"$folder/created")"
}

download_by_curl() {
    curl --silent --show-error --fail --output "$folder/downloaded" "http://$upstream/file"
    sync "$folder/downloaded"
}

download_by_gateway() {
    run_task '{"session":"upstream","kind":"download","path":"file","download":{"destination":"file"}}'
}

upload_by_curl() {
    curl --silent --show-error --fail --upload-file "$folder/file" "http://$upstream/put/file"
}

upload_by_gateway() {
    run_task '{"session":"upstream","kind":"upload","method":"PUT","path":"put/file","body":{"file":"file"}}'
}

# show NAME: prints the medians of a transfer, and the ratio of the rates.
show() {
    awk -v name="$1" -v curl="$(median "$folder/$1-curl")" -v gateway="$(median "$folder/$1-gateway")" \
        'BEGIN { printf "%-10s %10s %10s %7.2f\n", name, curl, gateway, curl / gateway }'
}

head --bytes="${mebibytes}M" /dev/urandom >"$folder/file"
mkdir "$folder/put"
start_nginx_files "$upstream"
start_gateway "$gateway" "$upstream" full 64
mkdir --parents "$folder/data/uploads"
ln "$folder/file" "$folder/data/uploads/file"
for ((round = 1; round <= rounds; round++)); do
    timed download-curl download_by_curl
    finish "$folder/downloaded"
    timed download-gateway download_by_gateway
    finish "$folder/data/downloads/file"
    timed upload-curl upload_by_curl
    finish "$folder/put/file"
    timed upload-gateway upload_by_gateway
    finish "$folder/put/file"
done
printf '%-10s %10s %10s %7s\n' "$mebibytes MiB" 'curl, s' 'gateway, s' rate
show download
show upload
awk '/^VmHWM:/ { printf "the gateway had at most %d MiB\n", $2 / 1024 }' "/proc/${started[0]}/status"
