"""Checks of the commands of docs/how-to/containers.md, and of those of README.md for Docker Compose.

They run with stubs of `kubectl`, `docker` and `curl`, which record their calls and the objects that they create.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import yaml

from deployment import kubernetes
from deployment.facts import COMPOSE, ROOT, expect

CONTAINERS, UPGRADE, README = "docs/how-to/containers.md", "docs/how-to/upgrade.md", "README.md"
# The configuration that the commands of README.md copy.
MINIMAL = "Examples/config/minimal.yaml"
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# The command that moves a store, which both pages have.
MOVE = re.compile(r"^(?:\$ )?(move='mkdir .*)$", re.MULTILINE)
# The call with the number $FAILING_CALL fails, and so does the Job $FAILING_JOB; all others succeed.
STUB = r"""#!/bin/sh
call="${0##*/} $*"
# The answer is an argument of the next call.
case $call in
    "docker inspect "*) echo sha256:0; exit ;;
    "openssl rand "*) echo 0123456789abcdef; exit ;;
esac
printf '%s\n' "$call" >>"$RECORD/calls"
case $call in "kubectl create "*) { cat; echo ---; } >>"$RECORD/created" ;; esac
[ "$(wc -l <"$RECORD/calls")" -ne "$FAILING_CALL" ] || exit 1
case $call in
    "kubectl get job errand-$FAILING_JOB "*) echo FailureTarget Failed ;;
    "kubectl get job "*) echo SuccessCriteriaMet Complete ;;
esac
"""
START = "kubectl scale statefulset errand --replicas=1"
# The calls whose failure has no effect on the steps.
IGNORED = ("kubectl delete job ", "kubectl logs ")
# The files in the folder of a gateway: those of the store, which are moved, and those that no backup contains.
STORE = (".errand-store", "bodies/1", "errand.db", "errand.db-wal")
OTHER = ("downloads/.downloads.part/1", "uploads/1")
# Longer than the commands take, which wait for nothing here.
LIMIT_SECONDS = 60


def section(heading, page=CONTAINERS):
    """The blocks of commands below a heading of a page."""
    text = (ROOT / page).read_text().partition(f"# {heading}\n")[2]
    # The comments of commands have one number sign.
    return BLOCK.findall(re.split(r"^##+ ", text, flags=re.MULTILINE)[0])


def execute(command, folder, failing_call=0, failing_job=""):
    """Runs a command in a folder. Returns the calls of the stubs, and the text of the created objects."""
    with tempfile.TemporaryDirectory() as name:
        stubs = pathlib.Path(name)
        for program in ("curl", "docker", "errand", "kubectl", "openssl"):
            (stubs / program).write_text(STUB)
            (stubs / program).chmod(0o755)
        (stubs / "calls").touch()
        (stubs / "created").touch()
        environment = {
            "PATH": f"{name}:{os.environ['PATH']}", "RECORD": name, "FAILING_CALL": str(failing_call),
            "FAILING_JOB": failing_job}
        try:
            subprocess.run(
                command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False,
                timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise ValueError(f"{command} does not end") from error
        return (stubs / "calls").read_text().splitlines(), (stubs / "created").read_text()


def run(commands, failing_call=0, failing_job=""):
    """Runs commands as a terminal does, in which a failure ends nothing.

    Returns the calls of the stubs, and the Jobs that they have created, by name.
    """
    calls, created = execute(["bash", "-c", commands], ROOT, failing_call, failing_job)
    return calls, {job["metadata"]["name"]: job for job in yaml.safe_load_all(created) if job}


def command_of(job):
    """The command and the arguments of the container of a Job."""
    container = job["spec"]["template"]["spec"]["containers"][0]
    return container.get("command", []) + container.get("args", [])


def check_move(command, moved, what):
    """The command moves these files of `data` into the folder `former`, and leaves the others."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file in (*STORE, *OTHER):
            path = folder / "data" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            # The mark is a link that leads nowhere.
            path.symlink_to("nowhere") if file == ".errand-store" else path.touch()
        execute(command, folder)
        found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_symlink() or path.is_file()}
    wanted = {f"{'former' if file in moved else 'data'}/{file}" for file in (*STORE, *OTHER)}
    yield from expect(sorted(found), sorted(wanted), f"the files after {what}")


def check_kubernetes(objects):
    """The gateway starts only after steps that have all succeeded. A Job that fails is kept, and its output shown."""
    move, function = *section("Upgrade and restore in containers"), *section("A command in Kubernetes")
    upgrade, = section("Upgrade in Kubernetes")
    restoration, new_volume, removal = section("Restore in Kubernetes")
    calls, asked = run(function + upgrade)
    yield from expect(
        [command_of(job) for job in asked.values()], [["check"], ["upgrade", "--dry-run"]],
        "the commands of the Jobs before an upgrade")
    yield from expect(
        calls[0], "kubectl exec errand-0 -- errand backup /var/lib/errand/before-upgrade",
        "the first call, by which the old program makes a backup")
    calls, jobs = run(move + function + restoration)
    yield from expect(list(jobs), ["errand-move", "errand-restore"], "the Jobs of a restoration")
    yield from expect(calls[-1:], [START], "the last call of a restoration")
    yield from check_move(command_of(jobs["errand-move"]), STORE, "errand-move")
    for job in [*asked.values(), *jobs.values()]:
        yield from kubernetes.check_job(job, objects)
    _, of_volume = run(move + new_volume + function + restoration)
    yield from check_move(command_of(of_volume["errand-move"]), STORE + OTHER, "errand-move for a new volume")
    yield from check_failures(function + upgrade, list(asked))
    yield from check_failures(move + function + restoration, list(jobs))
    deleted = re.findall(r"\berrand-\w+", run(removal)[0][0])
    yield from expect(sorted(deleted), sorted([*asked, *jobs]), "the Jobs that are removed at the end")


def check_failures(commands, names):
    """After a call or a Job that fails, there is no further Job, and no start."""
    calls, _ = run(commands)
    for number, call in enumerate(calls, 1):
        if not call.startswith(IGNORED):
            after = run(commands, failing_call=number)[0][number:]
            steps = [each for each in after if not each.startswith(IGNORED)]
            yield from expect(steps, [], f"the calls after the failure of {call}")
    for number, name in enumerate(names, 1):
        calls, jobs = run(commands, failing_job=name.removeprefix("errand-"))
        yield from expect(list(jobs), names[:number], f"the Jobs if {name} fails")
        yield from expect(START in calls, False, f"a start if {name} fails")
        last = max(index for index, call in enumerate(calls) if call.startswith("kubectl create "))
        yield from expect(f"kubectl logs job/{name}" in calls[last:], True, f"the output of {name} if it fails")
        # Before its creation, a former Job of this name may be removed.
        removed = [call for call in calls[last:] if call.startswith("kubectl delete job ")]
        yield from expect(removed, [], f"the removals after a failure of {name}")


def check_compose():
    """The new program is built before it is asked, the old image is kept, and no step follows one that has failed."""
    move, = section("Upgrade and restore in containers")
    upgrade = section("Upgrade with Docker Compose")
    restoration, removal = section("Restore with Docker Compose")
    former, later = (run(block)[0] for block in upgrade)
    steps = [step(call) for call in former + later]
    yield from expect(steps, ["tag", "build", "run", "run", "exec", "up"], "the steps of an upgrade")
    yield from expect("--build" in later[-1], False, "up with --build, of another image than the one that was asked")
    calls, _ = run(move + restoration)
    yield from expect([step(call) for call in calls], ["stop", "tag", "run", "up"], "the steps of the way back")
    script = calls[2].partition(" -ec ")[2]
    yield from check_move(["sh", "-ec", script], STORE, "the run of the way back")
    restored, _ = execute(["sh", "-ec", script.rpartition(";")[2]], ROOT)
    yield from expect(restored, ["errand restore before-upgrade"], "the command after the move")
    for block in [*upgrade, move + restoration]:
        calls, _ = run(block)
        for number, call in enumerate(calls, 1):
            yield from expect(run(block, failing_call=number)[0], calls[:number], f"the calls if {call} fails")
    calls, _ = run(removal)
    yield from expect([step(call) for call in calls], ["exec", "image"], "the removals at the end")


def check_readme():
    """The commands, also repeated, give Docker Compose a configuration, its variables and a token, and ask with it."""
    commands, = section("Deploying", README)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file in (COMPOSE, MINIMAL):
            (folder / file).parent.mkdir(parents=True)
            shutil.copyfile(ROOT / file, folder / file)
        calls, _ = execute(["bash", "-c", commands * 2], folder)
        compose = (folder / COMPOSE).read_text()
        written = (folder / COMPOSE).with_name(".env")
        values = dict(line.split("=", 1) for line in written.read_text().splitlines())
        yield from expect(oct(written.stat().st_mode & 0o777), "0o600", "the rights of deploy/.env")
        configuration = pathlib.Path(values["ERRAND_CONFIG_FILE"]).read_text()
    yield from expect(configuration, (ROOT / MINIMAL).read_text(), f"the configuration, as in {MINIMAL}")
    used = re.findall(r"\$\{(\w+)", re.sub(r"^ *#.*", "", compose, flags=re.MULTILINE))
    yield from expect(sorted(values), sorted(used), "the variables of deploy/.env, as in compose.yaml")
    environment = yaml.safe_load(compose)["services"]["errand"]["environment"]
    missing = {*re.findall(r"\$\{(\w+)", configuration)} - {*environment}
    yield from expect(sorted(missing), [], "the variables of the configuration that the container does not have")
    yield from expect([step(call) for call in calls[::2]], ["up", "up"], "the command that starts the container")
    field = f" -H Authorization: Bearer {values['ERRAND_TOKEN']}"
    for call in calls[1::2]:
        has_token = call.startswith("curl ") and call.endswith(field)
        yield from expect(has_token, True, f"a request with the token, in {call}")


def step(call):
    """The command of a call of docker."""
    match = re.match(rf"docker (?:compose --file {re.escape(COMPOSE)} )?(\w+)", call)
    return match[1] if match else call


def check_same_move():
    """Both pages move a store in the same way. Scripts/packaging/try-service runs the commands of upgrade.md."""
    found = [MOVE.findall((ROOT / page).read_text()) for page in (UPGRADE, CONTAINERS)]
    yield from expect([len(each) for each in found], [1, 1], f"the numbers of moves here and in {CONTAINERS}")
    yield from expect(found[0], found[1], f"the move, as in {CONTAINERS}")
