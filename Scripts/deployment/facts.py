"""The facts to which the files of deploy/ refer, and comparisons with them."""

import ipaddress
import pathlib
import re
import urllib.parse

import yaml

from container import dockerfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COMPOSE, KUBERNETES, SERVICE = "deploy/compose.yaml", "deploy/kubernetes.yaml", "deploy/errand.service"
# The times of the last responses and of the last lines of the log, in Patience.swift.
LAST_SECONDS = 4
UNITS = {"ms": 0.001, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400}


class Image:
    """The parts of the Dockerfile to which the other files refer."""

    def __init__(self):
        stage = dockerfile.parse((ROOT / "Dockerfile").read_text())[-1]
        runs = " ".join(run.text for run in stage.all("RUN"))
        self.packages = set(re.search(r"--no-install-recommends\s+(.*?)\s+&&", runs, re.DOTALL)[1].split())
        self.port = int(stage.last("EXPOSE").text)
        self.data = stage.last("VOLUME").text
        self.variables = dict(re.findall(r"(\w+)=(\S+)", stage.last("ENV").text))
        self.user = int(re.search(r"useradd .*?--uid (\d+)", runs)[1])
        self.entry = stage.last("ENTRYPOINT").exec_form()
        self.command = stage.last("CMD").exec_form()


class Documents:
    """The facts that the documents state."""

    def __init__(self):
        settings = (ROOT / "docs/configuration.md").read_text()
        self.variables = set(re.findall(r"`(ERRAND_\w+)`", settings))
        self.paths = set(re.findall(r"`GET (/[^`]*)`", (ROOT / "docs/api.md").read_text()))
        self.stop_times = {
            name: re.search(rf"^\| `{name}` \| duration, \S+ to \S+ \| `(\w+)` \|", settings, re.MULTILINE)[1]
            for name in ("stop_delay", "drain")}

    def seconds_to_stop(self, configuration=None):
        """The longest time of a stop, with the default values of settings that the configuration does not have."""
        configuration = configuration or {}
        delay = (configuration.get("server") or {}).get("stop_delay", self.stop_times["stop_delay"])
        drain = (configuration.get("dispatcher") or {}).get("drain", self.stop_times["drain"])
        return LAST_SECONDS + seconds(delay) + seconds(drain)


def seconds(text):
    """A duration such as 30, 30s or 5min in seconds."""
    match = re.fullmatch(r"(\d+)([a-z]*)", str(text).strip())
    if not match or (match[2] and match[2] not in UNITS):
        raise ValueError(f"{text} is not a duration")
    return int(match[1]) * UNITS.get(match[2], 1)


def expect(found, wanted, what):
    """Yields a finding unless both are equal."""
    if found != wanted:
        yield f"{what}: expected {wanted!r}, found {found!r}"


def check_stop_time(found, documents, what, configuration=None):
    """Yields a finding unless the time is longer than a stop with the configuration; default settings without it."""
    needed = documents.seconds_to_stop(configuration)
    if found is None or seconds(found) <= needed:
        yield f"{what}: expected more than the {needed:g} s of a stop, found {found}"


def check_sessions(file):
    """Yields the sessions of a configuration whose upstream is the machine itself, as those of a sample are."""
    if not (ROOT / file).is_file():
        yield f"the configuration {file}, which the comment names, does not exist"
        return
    # A variable has its default value.
    configuration = yaml.safe_load(re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", (ROOT / file).read_text()))
    for name, session in (configuration.get("sessions") or {}).items():
        host = urllib.parse.urlsplit(session.get("base_url") or "").hostname
        yield from expect(is_loopback(host), False, f"a loopback address of the session {name} in {file}")


def is_loopback(host):
    """True for an address or a name of the machine itself."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_variables(names, documents, what):
    """Yields the variables that the program does not know."""
    for name in sorted(set(names) - documents.variables):
        yield f"{what}: docs/configuration.md has no variable {name}"
