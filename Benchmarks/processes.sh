#!/usr/bin/env bash
# Functions for the other scripts of this folder: a temporary folder, processes that end with the script, their figures,
# and medians.

readonly errand=${ERRAND:-.build/release/errand}
folder=$(mktemp --directory)
readonly folder
started=()

fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# Ends the last started process, and waits for its end.
stop_last() {
    local process=${started[0]}
    started=("${started[@]:1}")
    if kill -TERM "$process" 2>/dev/null; then wait "$process" || true; fi
}

# shellcheck disable=SC2317  # The trap calls it.
stop_all() {
    while ((${#started[@]})); do stop_last; done
    rm -rf "$folder"
}
trap stop_all EXIT

# start NAME ADDRESS URL COMMAND...: runs COMMAND, which listens on ADDRESS, and returns when URL answers with success.
start() {
    local name=$1 address=$2 url=$3
    shift 3
    ! (exec 3<>"/dev/tcp/${address%:*}/${address##*:}") 2>/dev/null || fail "$address is in use; $name needs it"
    "$@" >"$folder/$name.log" 2>&1 &
    local process=$!
    started=("$process" "${started[@]}")
    local limit=$((SECONDS + 30))
    until curl --silent --fail --output /dev/null --max-time 1 "$url"; do
        kill -0 "$process" 2>/dev/null || fail "$name did not start: $(tail -n 5 "$folder/$name.log")"
        ((SECONDS < limit)) || fail "$name does not answer $url with success: $(tail -n 5 "$folder/$name.log")"
        sleep 0.1
    done
}

# processor_microseconds PROCESS: prints the processor time that all its threads have used, with that in the kernel.
processor_microseconds() {
    local line fields
    line=$(<"/proc/$1/stat")
    read -r -a fields <<<"${line##*) }"
    echo $(((fields[11] + fields[12]) * 1000000 / $(getconf CLK_TCK)))
}

# resident_mebibytes PROCESS: prints its resident memory.
resident_mebibytes() {
    ps -o rss= -p "$1" | awk '{ printf "%.0f\n", $1 / 1024 }'
}

# median FILE [COLUMN]: prints the median of a column of numbers; of two in the middle, the lower one.
median() {
    awk -v column="${2:-1}" '{ print $column }' "$1" | sort --general-numeric-sort |
        awk '{ values[NR] = $1 } END { print values[int((NR + 1) / 2)] }'
}

# build_c NAME LIBRARY...: builds the program NAME.c of this folder.
build_c() {
    local name=$1
    shift
    cc -O2 -Wall -Wextra -Werror -o "$folder/$name" "Benchmarks/$name.c" "$@"
}

# start_nginx ADDRESS [BODY]: starts nginx, which responds to every request with a small JSON object, or with BODY.
start_nginx() {
    local body=${2:-'{"id":12345678901234567890,"status":"ok"}'}
    [[ $body != *\$* ]] || fail "nginx cannot return a text with a dollar sign: $body"
    body=${body//\\/\\\\}
    body=${body//\'/\\\'}
    run_nginx "$1" / "default_type application/json; return 200 '$body';"
}

# start_nginx_files ADDRESS: starts nginx, which serves the files of the temporary folder, and writes those below `put`.
#
# It closes each connection after its response: on one that was used before, it receives content at a fifth of the rate,
# whichever client sends.
start_nginx_files() {
    run_nginx "$1" /nginx.conf \
        "root $folder; sendfile on; keepalive_timeout 0; location /put/ { dav_methods PUT; client_max_body_size 0; }"
}

# run_nginx ADDRESS PATH DIRECTIVES: starts nginx with the directives of its server; it responds to PATH when it has started.
run_nginx() {
    cat >"$folder/nginx.conf" <<TEXT
daemon off;
user $(id --user --name);
pid $folder/nginx.pid;
error_log stderr warn;
worker_processes 1;
events { worker_connections 4096; }
http {
    access_log off;
    keepalive_requests 100000000;
    client_body_temp_path $folder/nginx-body;
    proxy_temp_path $folder/nginx-proxy;
    fastcgi_temp_path $folder/nginx-fastcgi;
    uwsgi_temp_path $folder/nginx-uwsgi;
    scgi_temp_path $folder/nginx-scgi;
    server {
        listen $1 backlog=4096;
        $3
    }
}
TEXT
    start nginx "$1" "http://$1$2" nginx -p "$folder" -c "$folder/nginx.conf"
}

# start_reference ADDRESS UPSTREAM DURABILITY LIMIT: the C gateway, on a loopback address, with an empty store; at most
# LIMIT tasks run at once. Build it before.
start_reference() {
    rm -rf "$folder/store"
    mkdir "$folder/store"
    start reference "$1" "http://$1/readyz" \
        "$folder/reference-gateway" "${1##*:}" "http://$2" "$folder/store/reference.db" "$4" "$3"
}

# start_gateway ADDRESS UPSTREAM DURABILITY LIMIT: a gateway with an empty store and the session `upstream`, of which at
# most LIMIT tasks run at once.
start_gateway() {
    rm -rf "$folder/store" "$folder/data"
    [[ -x $errand ]] || fail "$errand does not exist: run make build"
    cat >"$folder/config.yaml" <<TEXT
server: {listen: $1, stop_delay: 0s}
store: {sqlite: {path: $folder/store/errand.db}, durability: $3}
files: {data: $folder/data, uploads: $folder/data/uploads}
logging: {level: warning}
sessions:
  upstream:
    base_url: http://$2/
    connection: {max_per_host: $4, max_idle: $4}
    limits: {concurrent: $4}
TEXT
    start gateway "$1" "http://$1/readyz" "$errand" serve --config "$folder/config.yaml"
}
