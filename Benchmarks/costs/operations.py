"""The operations whose costs are counted, and their measurement."""

import json
import pathlib
import tempfile

from gateway import Connection, Gateway, Stream, WAKEUPS

# Operations before the measurement, for caches and statements that are made at their first use.
WARM_UP = 200
# Operations with counted allocations, and then with counted system calls. A store with more tasks costs more, so each
# run does the same operations in the same order.
COUNTED = 400
TRACED = 200
# Streams that receive each event.
STREAMS = 32
COUNTED_EVENTS = 100
TRACED_EVENTS = 50


class Operations:
    """Operations on one connection, each of which returns when its response has arrived."""

    def __init__(self, port):
        self.port = port
        self.connection = Connection(port)
        self.connection.expect(200, "POST", "/v1/sessions/held/suspend")
        self.finished = json.loads(self.task())["id"]
        self.streams = []

    def create(self):
        """A task of a suspended session."""
        self.connection.expect(202, "POST", "/v1/tasks", b'{"session":"held","path":"task"}')

    def task(self):
        """A task from its creation to its end, with one GET."""
        return self.connection.expect(200, "POST", "/v1/tasks?wait=60s", b'{"session":"upstream","path":"task"}')

    def read(self):
        """A view of a finished task."""
        self.connection.expect(200, "GET", f"/v1/tasks/{self.finished}")

    def health(self):
        """The smallest response."""
        self.connection.expect(200, "GET", "/healthz")

    def create_with_streams(self):
        """A task of a suspended session whose event all streams have received."""
        self.create()
        for stream in self.streams:
            stream.take_event()

    def open_streams(self):
        self.streams = [Stream(self.port, "/v1/events?session=held") for _ in range(STREAMS)]

    def close(self):
        for connection in [self.connection, *self.streams]:
            connection.close()


def costs_of(gateway, operation, counted, traced):
    """The costs of one operation, and its system calls by name: without these where this system forbids to trace.

    They are the means of many operations, one at a time, so that each change is a transaction of its own.
    """
    def repeat(times):
        for _ in range(times):
            operation()

    before = gateway.allocations()
    repeat(counted)
    allocations, size = (after - first for after, first in zip(gateway.allocations(), before))
    costs = {"allocations": allocations / counted, "bytes": size / counted}
    calls = gateway.system_calls(lambda: repeat(traced))
    if calls is None:
        return costs, {}
    return {
        **costs,
        "system_calls": sum(number for name, number in calls.items() if name not in WAKEUPS) / traced,
        "wakeups": sum(number for name, number in calls.items() if name in WAKEUPS) / traced,
    }, {name: number / traced for name, number in calls.items()}


def measure(binary, library, upstream):
    """The costs of all operations of a new gateway, and the system calls of each by name."""
    with tempfile.TemporaryDirectory() as folder:
        gateway = Gateway(binary, library, pathlib.Path(folder), upstream)
        try:
            operations = Operations(gateway.port)
            plain = {
                "create": operations.create, "task": operations.task, "get": operations.read,
                "healthz": operations.health,
            }
            for operation in plain.values():
                for _ in range(WARM_UP):
                    operation()
            costs, calls = {}, {}
            for name, operation in plain.items():
                costs[name], calls[name] = costs_of(gateway, operation, COUNTED, TRACED)
            # Last: the streams stay open until the gateway ends.
            operations.open_streams()
            for _ in range(10):
                operations.create_with_streams()
            streamed, calls["create with streams"] = costs_of(
                gateway, operations.create_with_streams, COUNTED_EVENTS, TRACED_EVENTS)
            # The rest is the create's.
            costs["event"] = {
                count: max(0, value - costs["create"][count]) / STREAMS for count, value in streamed.items()}
            operations.close()
            return costs, calls
        finally:
            gateway.close()
