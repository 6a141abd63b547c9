"""Checks of the Helm chart, whose templates helm renders with several values."""

import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

from deployment import kubernetes
from deployment.facts import KUBERNETES, ROOT, check_stop_time, expect

CHART = "deploy/helm/errand"
VERSIONS = "Sources/Programs/errand/Versions.swift"
# The exit status of Scripts/helm without helm.
NOT_INSTALLED = 127
# The kinds of the chart with its default values.
KINDS = ["ConfigMap", "NetworkPolicy", "Service", "ServiceAccount", "StatefulSet"]
# Values that use what is left out by default.
OTHER_VALUES = {
    "image": {"repository": "registry.example/errand", "tag": "1.2.3", "pullSecrets": [{"name": "registry"}]},
    "configuration": {"sessions": {"billing": {"base_url": "https://billing.example.com/v1/"}}},
    "restartOnChange": True,
    "token": {"value": "a-token-of-the-check", "key": "api"},
    "env": [{"name": "BILLING_TOKEN", "valueFrom": {"secretKeyRef": {"name": "billing", "key": "token"}}}],
    "envFrom": [{"secretRef": {"name": "upstreams"}}],
    "extraVolumes": [{"name": "secrets", "secret": {"secretName": "errand-files", "defaultMode": 0o440}}],
    "extraVolumeMounts": [{"name": "secrets", "mountPath": "/run/secrets/errand", "readOnly": True}],
    "stop": {"delay": 10, "drain": 90},
    "persistence": {"storageClassName": "local", "size": "1Gi"},
    "userID": 4711,
    "service": {"port": 80, "annotations": {"example.com/a": "b"}},
    "serviceAccount": {"create": False},
    "networkPolicy": {"clients": [], "egress": []},
    "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
    "podAnnotations": {"example.com/c": "d"}, "nodeSelector": {"disk": "local"},
    "tolerations": [{"key": "a", "operator": "Exists"}], "affinity": {"nodeAffinity": {}}, "priorityClassName": "high",
}
# Values that are left out by default, and that other releases than that of OTHER_VALUES have.
SEPARATE_VALUES = {"existingConfigMap"}
# An example of values.yaml, in the comment of an empty list.
EXAMPLE = re.compile(r"^ *(\w+): \[\] # (- \{.*\})$", re.MULTILINE)
# Values that helm refuses, with a part of the message.
REFUSED = [
    ({"replicas": 3}, "replicas"), ({"configuration": {"server": {"stop_delay": "1s"}}}, "stop_delay|not"),
    ({"token": {"value": "short"}}, "pattern"),
    ({"token": {"value": "a-token-of-the-check", "existingSecret": "other"}}, "not both"), ({"userID": 0}, "userID"),
    ({"stop": {"delay": 301}}, "delay"), ({"stop": {"drain": 86_401}}, "drain"),
    ({"extraVolumes": [{"name": "data", "emptyDir": {}}]}, "extraVolumes"),
    ({"extraVolumeMounts": [{"name": "secrets", "mountPath": "/etc/errand"}]}, "extraVolumeMounts"),
]


def helm(command, values, *arguments):
    """Runs helm with values; returns its exit status and both outputs."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "values.json"
        file.write_text(json.dumps(values))
        done = subprocess.run(
            [ROOT / "Scripts/helm", command, *arguments, ROOT / CHART, "--values", file],
            capture_output=True, text=True, check=False, env={"PATH": "/usr/bin:/bin", "HOME": folder})
    return done.returncode, done.stdout, done.stderr


def render(release, values):
    """The objects of a release, by kind."""
    status, printed, error = helm("template", values, release)
    if status != 0:
        raise ValueError(f"helm template: {error.strip()}")
    return kubernetes.read(printed)


def without_names(objects):
    """The objects without what the chart and deploy/kubernetes.yaml name differently: labels, account, tag."""
    result = copy.deepcopy({kind: each for kind, each in objects.items() if kind != "ServiceAccount"})
    for each in result.values():
        each["metadata"].pop("labels")
    result["ConfigMap"]["data"]["config.yaml"] = yaml.safe_load(result["ConfigMap"]["data"]["config.yaml"])
    result["Service"]["spec"].pop("selector")
    result["NetworkPolicy"]["spec"].pop("podSelector")
    state = result["StatefulSet"]["spec"]
    state.pop("selector")
    state["template"].pop("metadata")
    state["template"]["spec"].pop("serviceAccountName", None)
    container = state["template"]["spec"]["containers"][0]
    container.pop("imagePullPolicy", None)
    container["image"] = container["image"].split(":")[0]
    return result


def differences(found, wanted, path=""):
    """Yields the paths at which two values differ."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        for key in sorted({*found, *wanted}):
            yield from differences(found.get(key), wanted.get(key), f"{path}.{key}".lstrip("."))
    elif isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        for index, (one, other) in enumerate(zip(found, wanted)):
            yield from differences(one, other, f"{path}[{index}]")
    elif found != wanted:
        yield f"{path}: expected {wanted!r}, as in {KUBERNETES}, found {found!r}"


def check_chart(image, documents):
    """The chart creates the objects of deploy/kubernetes.yaml by default, and valid ones with other values."""
    chart = yaml.safe_load((ROOT / CHART / "Chart.yaml").read_text())
    version = re.search(r'static let errand = "(.*)"', (ROOT / VERSIONS).read_text())[1]
    yield from expect(chart["appVersion"], version, f"appVersion, as in {VERSIONS}")
    yield from check_values()
    status, printed, error = helm("lint", {}, "--strict")
    if status == NOT_INSTALLED:
        print(f"check-deploy: the chart is not rendered: {error.strip()}", file=sys.stderr)
        return
    if status != 0:
        yield f"helm lint: {(printed + error).strip()}"
        return
    objects = render("errand", {})
    yield from expect(sorted(objects), KINDS, "kinds")
    yield from kubernetes.check_objects(objects, image, documents)
    yield from differences(without_names(objects), without_names(kubernetes.read((ROOT / KUBERNETES).read_text())))
    account = objects["ServiceAccount"]
    yield from expect(account["automountServiceAccountToken"], False, "automountServiceAccountToken of the account")
    pod = objects["StatefulSet"]["spec"]["template"]["spec"]
    yield from expect(pod["serviceAccountName"], account["metadata"]["name"], "serviceAccountName")
    yield from check_other_values(image, documents)
    for values, wanted in REFUSED:
        status, _, error = helm("template", values, "errand")
        if status == 0 or not re.search(wanted, error):
            yield f"{json.dumps(values)}: expected a refusal with {wanted}, found {error.strip() or 'none'}"


def check_values():
    """Each value has a schema; those that are left out by default, and the examples of comments, are rendered."""
    text = (ROOT / CHART / "values.yaml").read_text()
    values = yaml.safe_load(text)
    schema = json.loads((ROOT / CHART / "values.schema.json").read_text())
    described = {*schema["properties"]} - {"global"}
    yield from expect(sorted(described ^ {*values}), [], "values that only one of values.yaml and values.schema.json has")
    empty = {name for name, value in values.items() if value in ("", [], {})}
    unused = empty - SEPARATE_VALUES - {*OTHER_VALUES}
    yield from expect(sorted(unused), [], "values that Scripts/check-deploy does not render")
    rendered = OTHER_VALUES | OTHER_VALUES["image"]
    for name, example in EXAMPLE.findall(text):
        yield from expect(
            yaml.safe_load(example), rendered.get(name), f"the example of {name}, as Scripts/check-deploy renders it")


def check_other_values(image, documents):
    """The objects with values for all that is left out by default."""
    objects = render("gate", OTHER_VALUES)
    yield from expect(
        sorted(objects), sorted({*KINDS, "Secret", "ServiceMonitor"} - {"ServiceAccount"}), "kinds with other values")
    for kind, each in objects.items():
        yield from expect(each["metadata"]["name"], "gate-errand", f"the name of the {kind} with other values")
        yield from kubernetes.check_schema(each)
    pod = objects["StatefulSet"]["spec"]["template"]["spec"]
    container = pod["containers"][0]
    configuration = yaml.safe_load(objects["ConfigMap"]["data"]["config.yaml"])
    yield from expect(sorted(configuration["sessions"]), ["billing"], "the sessions")
    yield from check_stop_time(
        pod["terminationGracePeriodSeconds"], documents, "terminationGracePeriodSeconds", configuration)
    identity = copy.copy(image)
    identity.user = OTHER_VALUES["userID"]
    yield from kubernetes.check_rights(pod["securityContext"], container["securityContext"], identity)
    yield from kubernetes.check_volumes(objects["StatefulSet"]["spec"], pod, container, objects["ConfigMap"], image)
    yield from expect(pod["volumes"][-1:], OTHER_VALUES["extraVolumes"], "the last volume")
    yield from expect(container["volumeMounts"][-1:], OTHER_VALUES["extraVolumeMounts"], "the last mount")
    yield from expect(container["image"], "registry.example/errand:1.2.3", "image")
    yield from expect(
        container["env"][0]["valueFrom"]["secretKeyRef"], {"name": "gate-errand", "key": "api"}, "the Secret of the token")
    yield from expect(objects["Secret"]["stringData"], {"api": OTHER_VALUES["token"]["value"]}, "the content of the Secret")
    rotated = render("gate", {**OTHER_VALUES, "token": {"value": "another-token-of-the-check", "key": "api"}})
    yield from expect(
        rotated["StatefulSet"]["spec"]["template"] == objects["StatefulSet"]["spec"]["template"], False,
        "the same pod with another token")
    yield from expect(pod["serviceAccountName"], "default", "serviceAccountName without an account")
    policy = objects["NetworkPolicy"]["spec"]
    yield from expect(policy["ingress"], [], "ingress without clients")
    yield from expect([rule["ports"][0]["port"] for rule in policy["egress"]], [53], "egress without rules")
    monitor = objects["ServiceMonitor"]["spec"]
    service = objects["Service"]
    yield from expect(
        monitor["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items(), True,
        "the selector of the ServiceMonitor among the labels of the Service")
    yield from expect(
        [monitor["endpoints"][0]["port"]], [port["name"] for port in service["spec"]["ports"]], "the port of the ServiceMonitor")
    yield from expect(monitor["endpoints"][0]["path"] in documents.paths, True, "the path of the ServiceMonitor in docs/api.md")
    own = render("errand", {"existingConfigMap": "own", "restartOnChange": True})
    volumes = own["StatefulSet"]["spec"]["template"]["spec"]["volumes"]
    yield from expect(volumes[0]["configMap"]["name"], "own", "the ConfigMap with existingConfigMap")
    yield from expect("ConfigMap" in own, False, "a ConfigMap of the chart with existingConfigMap")
    yield from expect(
        "annotations" in own["StatefulSet"]["spec"]["template"]["metadata"], False,
        "annotations of the pod with existingConfigMap and restartOnChange")
