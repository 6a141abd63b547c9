#!/usr/bin/env python3
"""Runs task-load against a scripted gateway and checks its requests, its output, and its error handling."""

import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

TASK = '{"session":"echo","path":"anything"}'


class ScriptedGateway(http.server.ThreadingHTTPServer):
    """Acknowledges tasks, reports an unfinished one for a while, and records the requests."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, status=202, unfinished_polls=2, failed=False, closes=False):
        super().__init__(("127.0.0.1", 0), Exchange)
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

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return super().__enter__()

    def __exit__(self, *exception):
        self.shutdown()
        super().__exit__(*exception)


class Exchange(http.server.BaseHTTPRequestHandler):
    """The responses of a ScriptedGateway."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):  # noqa: N802
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        with self.server.lock:
            self.server.bodies.append(body)
            self.server.authorizations.add(self.headers.get("Authorization"))
            self.server.connections.add(self.client_address)
        if self.server.closes:
            self.close_connection = True
        else:
            self.respond(self.server.status, {"id": f"task-{self.client_address[1]}"})

    def do_GET(self):  # noqa: N802
        listed = self.server.failed if "state=failed" in self.path else self.server.is_unfinished()
        self.respond(200, {"tasks": [{"id": "a"}] if listed else []})

    def respond(self, status, value):
        body = json.dumps(value, separators=(",", ":")).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class TaskLoad(unittest.TestCase):
    """task-load, built and run."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.program = pathlib.Path(cls.folder.name) / "task-load"
        source = pathlib.Path(__file__).resolve().parent / "task-load.c"
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", cls.program, source], check=True)

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


if __name__ == "__main__":
    sys.exit(unittest.main())
