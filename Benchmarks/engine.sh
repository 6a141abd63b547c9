#!/usr/bin/env bash
# Compares transfers per second of the engine and of a plain C loop over libcurl, in turn, against nginx on this machine.
#
#   Benchmarks/engine.sh [ROUNDS [TRANSFERS [CONCURRENCY [PARKED]]]]
#
# Needs nginx, a C compiler and libcurl's headers.
set -euo pipefail
rounds=${1:-5} transfers=${2:-200000} concurrency=${3:-64} parked=${4:-5000}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
processes=
stop() {
    for process in $processes; do kill "$process" 2>/dev/null || true; done
    rm -rf "$work"
}
trap stop EXIT INT TERM

cc -O2 -o "$work/curl-loop" "$here/curl-loop.c" -lcurl
cc -O2 -o "$work/silent-server" "$here/silent-server.c"
if [ -z "${ENGINE_BENCH:-}" ]; then
    swift build -c release --package-path "$here" --product engine-bench >&2
    ENGINE_BENCH=$(swift build -c release --package-path "$here" --show-bin-path)/engine-bench
fi
ulimit -n 20000 2>/dev/null || ulimit -n "$(ulimit -H -n)"

# The silent server finds a free port; nginx gets one in the same way afterwards.
"$work/silent-server" >"$work/silent" & processes="$processes $!"
"$work/silent-server" >"$work/free" & free=$!
until [ -s "$work/silent" ] && [ -s "$work/free" ]; do sleep 0.05; done
port=$(cat "$work/free")
kill "$free"
wait "$free" 2>/dev/null || true

cat >"$work/nginx.conf" <<CONF
worker_processes 1;
daemon off;
pid $work/nginx.pid;
error_log $work/error.log;
events { worker_connections 16384; }
http {
    access_log off;
    client_body_temp_path $work; proxy_temp_path $work; fastcgi_temp_path $work; uwsgi_temp_path $work; scgi_temp_path $work;
    keepalive_requests 1000000000;
    server {
        listen 127.0.0.1:$port backlog=4096;
        location / { default_type application/json; return 200 '{"id":1,"name":"a small answer"}'; }
    }
}
CONF
nginx -c "$work/nginx.conf" & processes="$processes $!"
url=http://127.0.0.1:$port/
until "$work/curl-loop" "$url" 1 1 >/dev/null 2>&1; do sleep 0.05; done

# compare NAME [ARGUMENT…]: both programs in turn, then the ratio of their medians.
compare() {
    name=$1
    shift
    : >"$work/c" && : >"$work/swift"
    for ((round = 1; round <= rounds; round++)); do
        "$work/curl-loop" "$url" "$@" | tee -a "$work/c" | sed "s/^/$name, C loop: /"
        "$ENGINE_BENCH" "$url" "$@" | tee -a "$work/swift" | sed "s/^/$name, engine: /"
    done
    awk -v name="$name" '
        { values[FILENAME, ++count[FILENAME]] = $1 + 0 }
        function median(file,   i, j, t, n) {
            n = count[file]
            for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++)
                if (values[file, j] < values[file, i]) { t = values[file, i]; values[file, i] = values[file, j]; values[file, j] = t }
            return values[file, int((n + 1) / 2)]
        }
        END { c = median(ARGV[1]); s = median(ARGV[2]); printf "%s: C loop %d/s, engine %d/s, ratio %.2f\n", name, c, s, s / c }
    ' "$work/c" "$work/swift"
}

compare "$concurrency at a time" "$transfers" "$concurrency"
compare "1 at a time" "$((transfers / 10))" 1
compare "$concurrency at a time beside $parked parked" "$transfers" "$concurrency" "http://127.0.0.1:$(cat "$work/silent")/" "$parked"
