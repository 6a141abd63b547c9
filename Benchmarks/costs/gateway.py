"""A gateway whose costs are counted, with its upstream and its clients."""

import contextlib
import mmap
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
PATIENCE_SECONDS = 60

CONFIGURATION = """
server: {{listen: "127.0.0.1:{port}", stop_delay: 0s}}
store: {{sqlite: {{path: {folder}/errand.db}}}}
files: {{data: {folder}/data}}
logging: {{level: warning}}
sessions:
  upstream: {{base_url: "http://127.0.0.1:{upstream}/"}}
  held: {{base_url: "http://127.0.0.1:{upstream}/"}}
"""

RESPONSE = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 24\r\n\r\n{"id":1,"status":"fine"}'

# System calls whose number depends on which thread runs first, or on the time: waiting and waking (of the measured
# operations, `read` and `write` access event descriptors only, and the second `recvfrom` finds nothing to receive),
# random bits for ids (new ones in each millisecond), and the growth of the heap.
WAKEUPS = {
    "epoll_ctl", "epoll_pwait", "epoll_wait", "futex", "getrandom", "mprotect", "read", "recvfrom", "restart_syscall",
    "sched_yield", "timerfd_settime", "write",
}


class Connection:
    """A connection to a server on this machine."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.host = f"127.0.0.1:{port}"
        self.received = b""

    def send(self, method, target, content=b""):
        fields = f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n" if method == "POST" else ""
        self.socket.sendall(f"{method} {target} HTTP/1.1\r\nHost: {self.host}\r\n{fields}\r\n".encode() + content)

    def take(self, pattern):
        """Receives until the pattern matches, and removes everything to its end."""
        while not (match := pattern.search(self.received)):
            self.receive()
        self.received = self.received[match.end():]
        return match

    def receive(self):
        received = self.socket.recv(65536)
        if not received:
            raise EOFError(f"the gateway closed the connection after {self.received!r}")
        self.received += received

    def request(self, method, target, content=b""):
        """Sends a request, and returns the status and the content of the response."""
        self.send(method, target, content)
        head = self.take(re.compile(rb"^HTTP/1\.1 (\d+) .*?\r\n\r\n", re.S))
        length = int(re.search(rb"\r\nContent-Length: *(\d+)\r\n", head[0], re.I)[1])
        while len(self.received) < length:
            self.receive()
        content, self.received = self.received[:length], self.received[length:]
        return int(head[1]), content

    def expect(self, status, method, target, content=b""):
        """Sends a request whose response has the status, and returns the content of the response."""
        found, received = self.request(method, target, content)
        if found != status:
            sys.exit(f"costs: {method} {target} has the status {found}: {received.decode(errors='replace')}")
        return received

    def close(self):
        self.socket.close()


class Stream(Connection):
    """A stream of the events of tasks."""

    def __init__(self, port, target):
        super().__init__(port)
        self.send("GET", target)
        self.take(re.compile(rb"^event: tasks\n.*?\n\n", re.S | re.M))

    def take_event(self):
        self.take(re.compile(rb"^event: task\..*?\n\n", re.S | re.M))


class Upstream:
    """A server that responds to each request with the same small JSON value."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.respond, args=(connection,), daemon=True).start()

    @staticmethod
    def respond(connection):
        received = b""
        # A gateway that ends may reset the connection.
        with contextlib.suppress(ConnectionError):
            while more := connection.recv(65536):
                received += more
                while b"\r\n\r\n" in received:
                    received = received.split(b"\r\n\r\n", 1)[1]
                    connection.sendall(RESPONSE)


def compile_counter(folder):
    """Compiles the library that counts allocations, and returns its path."""
    library = folder / "count-allocations.so"
    subprocess.run(
        ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library, HERE / "count-allocations.c"],
        check=True)
    return library


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Gateway:
    """A gateway with an empty store, and the counts of its allocations and system calls."""

    def __init__(self, binary, library, folder, upstream):
        self.port = free_port()
        self.trace = folder / "trace"
        configuration = folder / "config.yaml"
        configuration.write_text(CONFIGURATION.format(port=self.port, folder=folder, upstream=upstream.port))
        counts = folder / "counts"
        counts.write_bytes(bytes(16))
        with counts.open("r+b") as file:
            self.counts = mmap.mmap(file.fileno(), 16)
        # Nothing else of the environment, which may contain settings of the gateway and of malloc.
        environment = {name: os.environ[name] for name in ("PATH", "HOME", "LD_LIBRARY_PATH") if name in os.environ}
        self.process = subprocess.Popen(
            [binary, "serve", "--config", configuration], cwd=folder,
            env={**environment, "LD_PRELOAD": str(library), "ERRAND_COSTS": str(counts)})
        try:
            self.wait_until_up()
        except BaseException:
            self.close()
            raise

    def wait_until_up(self):
        for _ in range(PATIENCE_SECONDS * 20):
            if self.process.poll() is not None:
                sys.exit(f"costs: the gateway ended with status {self.process.returncode}")
            with contextlib.suppress(OSError):
                Connection(self.port).close()
                return
            time.sleep(0.05)
        sys.exit("costs: the gateway does not start")

    def allocations(self):
        """The number of allocations since the start, and their bytes."""
        number, size = struct.unpack("=QQ", self.counts[:16])
        if number == 0:
            sys.exit("costs: the counting library is not loaded: is the folder of temporary files mounted with noexec?")
        return number, size

    def system_calls(self, work):
        """The number of system calls by name while a function runs; None if this system forbids to trace."""
        if not shutil.which("strace"):
            sys.exit("costs: strace is missing: Scripts/setup test installs it")
        tracer = subprocess.Popen(
            ["strace", "--summary-only", "--follow-forks", "--summary-columns=calls,name",
             f"--output={self.trace}", f"--attach={self.process.pid}"],
            stderr=subprocess.PIPE, text=True)
        try:
            first = tracer.stderr.readline()
            if "attached" not in first:
                return None
            work()
        finally:
            tracer.send_signal(signal.SIGINT)
            tracer.communicate(timeout=PATIENCE_SECONDS)
        rows = [line.split() for line in self.trace.read_text().splitlines()]
        return {row[1]: int(row[0]) for row in rows if len(row) == 2 and row[0].isdigit() and row[1] != "total"}

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
