#!/usr/bin/env python3
"""Checks the C programs of the benchmarks.

Runs task-load against a scripted gateway and checks its requests, its output, and its error handling. Runs the
reference gateway with a small upstream and checks its tasks, also after `kill -9`. Sends requests to microhttpd-loop.
"""

import contextlib
import http.client
import http.server
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest

TASK = '{"session":"echo","path":"anything"}'
UPSTREAM_TASK = '{"session":"upstream","path":"task"}'
UPSTREAM_BODY = b'{"ok":true}'


def build(name, folder, *libraries):
    """Builds a program of this folder, and returns its path."""
    source = pathlib.Path(__file__).resolve().parent / f"{name}.c"
    program = pathlib.Path(folder) / name
    subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, source, *libraries], check=True)
    return program


class LocalServer(http.server.ThreadingHTTPServer):
    """A server on a free port of this machine, which runs within its context."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, exchange):
        super().__init__(("127.0.0.1", 0), exchange)

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return super().__enter__()

    def __exit__(self, *exception):
        self.shutdown()
        super().__exit__(*exception)


class Exchange(http.server.BaseHTTPRequestHandler):
    """The responses of a LocalServer, without a log."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def respond(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class ScriptedGateway(LocalServer):
    """Acknowledges tasks, reports an unfinished one for a while, and records the requests."""

    def __init__(self, status=202, unfinished_polls=2, failed=False, closes=False):
        super().__init__(GatewayExchange)
        self.status, self.failed, self.closes = status, failed, closes
        self.unfinished_polls = unfinished_polls
        self.lock = threading.Lock()
        self.bodies, self.authorizations, self.connections = [], set(), set()

    def is_unfinished(self):
        with self.lock:
            self.unfinished_polls -= 1
            return self.unfinished_polls >= 0

    def handle_error(self, request, client_address):
        # task-load drops its connections at the first fault: the resulting errors are not reported.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class GatewayExchange(Exchange):
    """The responses of a ScriptedGateway."""

    def do_POST(self):  # noqa: N802
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        with self.server.lock:
            self.server.bodies.append(body)
            self.server.authorizations.add(self.headers.get("Authorization"))
            self.server.connections.add(self.client_address)
        if self.server.closes:
            self.close_connection = True
        else:
            self.respond_json(self.server.status, {"id": f"task-{self.client_address[1]}"})

    def do_GET(self):  # noqa: N802
        listed = self.server.failed if "state=failed" in self.path else self.server.is_unfinished()
        self.respond_json(200, {"tasks": [{"id": "a"}] if listed else []})

    def respond_json(self, status, value):
        self.respond(status, json.dumps(value, separators=(",", ":")).encode())


class Upstream(LocalServer):
    """Responds to GET with UPSTREAM_BODY, or with 404 below /missing, and counts requests.

    A request waits until `wanted` requests are active at once, if that is not zero.
    """

    def __init__(self, wanted=0):
        super().__init__(UpstreamExchange)
        self.wanted, self.active, self.most = wanted, 0, 0
        self.paths = []
        self.changed = threading.Condition()

    def release(self):
        with self.changed:
            self.wanted = 0
            self.changed.notify_all()

    def __exit__(self, *exception):
        self.release()
        super().__exit__(*exception)


class UpstreamExchange(Exchange):
    """The responses of an Upstream."""

    def do_GET(self):  # noqa: N802
        upstream = self.server
        with upstream.changed:
            upstream.paths.append(self.path)
            upstream.active += 1
            upstream.most = max(upstream.most, upstream.active)
            upstream.changed.notify_all()
            upstream.changed.wait_for(lambda: upstream.most >= upstream.wanted)
            upstream.active -= 1
        with contextlib.suppress(ConnectionError):  # the gateway was killed
            self.respond(404 if self.path.startswith("/missing") else 200, UPSTREAM_BODY)


class Program:
    """A server that prints its port; leaving the context kills it."""

    def __init__(self, *command):
        self.process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def kill(self):
        self.process.kill()
        self.process.wait()

    def request(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            connection.request(method, path, body)
            response = connection.getresponse()
            return response.status, json.loads(response.read())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        self.process.stdout.close()


class TaskLoad(unittest.TestCase):
    """task-load, built and run."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.program = build("task-load", cls.folder.name)

    def run_against(self, gateway, *options):
        command = [self.program, *options, "127.0.0.1", str(gateway.server_address[1]), TASK]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    def test_creates_every_task_once_over_all_connections(self):
        with ScriptedGateway() as gateway:
            done = self.run_against(gateway, "-c", "8", "-n", "100", "-t", "secret")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(gateway.bodies, [TASK] * 100)
            self.assertEqual(len(gateway.connections), 8)
            self.assertEqual(gateway.authorizations, {"Bearer secret"})
            self.assertLess(gateway.unfinished_polls, 0)
            for words in ("100 tasks over 8 connections", "created in", "all done after", "p50", "p99"):
                self.assertIn(words, done.stdout)

    def test_prints_three_numbers_for_programs(self):
        with ScriptedGateway() as gateway:
            done = self.run_against(gateway, "-m", "-c", "4", "-n", "20")
        self.assertEqual((done.returncode, done.stderr, done.stdout.count("\n")), (0, "", 1))
        rate, p50, p99 = map(float, done.stdout.split())
        self.assertGreater(rate, 0)
        self.assertLessEqual(p50, p99)

    def test_fewer_tasks_than_connections(self):
        with ScriptedGateway() as gateway:
            self.assertEqual(self.run_against(gateway, "-c", "8", "-n", "3").returncode, 0)
            self.assertEqual(len(gateway.bodies), 3)

    def test_faults_end_the_run(self):
        for gateway, words in (
            (ScriptedGateway(status=503), "expected status 202, found 503"),
            (ScriptedGateway(closes=True), "closed a connection"),
            (ScriptedGateway(failed=True), "not every task succeeded"),
        ):
            with gateway:
                done = self.run_against(gateway, "-c", "2", "-n", "4")
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)

    def test_wrong_arguments(self):
        for options in (["-n", "0", "a", "1", "{}"], ["-c", "x", "a", "1", "{}"], ["127.0.0.1"]):
            done = subprocess.run([self.program, *options], capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertNotEqual(done.stderr, "")


class Baselines(unittest.TestCase):
    """The programs that Errand is compared with, built and run."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.load = build("task-load", cls.folder.name)
        cls.gateway = build(
            "reference-gateway", cls.folder.name, "-lmicrohttpd", "-lcurl", "-lsqlite3", "-lpthread")
        cls.loop = build("microhttpd-loop", cls.folder.name, "-lmicrohttpd")

    def start_gateway(self, upstream, limit):
        self.database = pathlib.Path(self.folder.name) / f"{self.id()}.db"
        return Program(self.gateway, 0, f"http://127.0.0.1:{upstream.server_address[1]}", self.database, limit)

    def run_load(self, gateway, count):
        command = [self.load, "-c", "8", "-n", str(count), "127.0.0.1", str(gateway.port), UPSTREAM_TASK]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    def rows(self):
        with contextlib.closing(sqlite3.connect(self.database)) as database:
            return database.execute("SELECT id, state, request, status, body FROM task ORDER BY id").fetchall()

    def test_every_task_ends_and_is_stored(self):
        # Three requests wait for each other: a gateway that runs fewer at once does not finish.
        with Upstream(wanted=3) as upstream, self.start_gateway(upstream, 3) as gateway:
            done = self.run_load(gateway, 200)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual((upstream.paths, upstream.most), (["/task"] * 200, 3))
            expected = {"id": "200", "state": "succeeded", "status": 200}
            self.assertEqual(gateway.request("GET", "/v1/tasks/200"), (200, expected))
            gateway.kill()
            self.assertEqual(
                self.rows(),
                [(number, "succeeded", UPSTREAM_TASK, 200, UPSTREAM_BODY) for number in range(1, 201)])

    def test_an_acknowledged_task_survives_a_kill(self):
        # The upstream holds the first request, so that no task ends.
        with Upstream(wanted=2) as upstream, self.start_gateway(upstream, 1) as gateway:
            for number in ("1", "2"):
                status, task = gateway.request("POST", "/v1/tasks", UPSTREAM_TASK)
                self.assertEqual((status, task["id"]), (202, number))
                expected = {"id": number, "state": "queued", "status": 0}
                self.assertEqual(gateway.request("GET", f"/v1/tasks/{number}"), (200, expected))
            gateway.kill()
            self.assertEqual(
                self.rows(), [(number, "queued", UPSTREAM_TASK, None, None) for number in (1, 2)])

    def test_failures_are_told(self):
        with Upstream() as upstream, self.start_gateway(upstream, 2) as gateway:
            self.assertEqual(gateway.request("POST", "/v1/tasks", '{"session":"upstream"}')[0], 400)
            self.assertEqual(gateway.request("GET", "/v1/tasks/1")[0], 404)
            self.assertEqual(gateway.request("GET", "/v1/other")[0], 404)
            missing = UPSTREAM_TASK.replace("task", "missing")
            self.assertEqual(gateway.request("POST", "/v1/tasks", missing)[0], 202)
            done = self.run_load(gateway, 2)
            self.assertEqual(done.returncode, 1)
            self.assertIn("not every task succeeded", done.stderr)
            expected = {"id": "1", "state": "failed", "status": 404}
            self.assertEqual(gateway.request("GET", "/v1/tasks/1"), (200, expected))

    def test_the_loop_responds_to_everything(self):
        with Program(self.loop, 0, '{"a":1}') as loop:
            self.assertEqual(loop.request("GET", "/"), (200, {"a": 1}))
            self.assertEqual(loop.request("POST", "/any/path?x=1", "body"), (200, {"a": 1}))


if __name__ == "__main__":
    sys.exit(unittest.main())
