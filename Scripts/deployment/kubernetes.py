"""Checks of objects of Kubernetes: those of deploy/kubernetes.yaml, and those of the chart."""

import json
import pathlib
import subprocess

import yaml

from deployment.facts import COMPOSE, ROOT, check_stop_time, check_variables, expect

SCHEMA = ".build/test-tools/kubernetes.schema.json"
# The definitions of the schema, by kind.
DEFINITIONS = {
    "ConfigMap": "io.k8s.api.core.v1.ConfigMap", "Job": "io.k8s.api.batch.v1.Job",
    "NetworkPolicy": "io.k8s.api.networking.v1.NetworkPolicy", "Secret": "io.k8s.api.core.v1.Secret",
    "Service": "io.k8s.api.core.v1.Service", "ServiceAccount": "io.k8s.api.core.v1.ServiceAccount",
    "StatefulSet": "io.k8s.api.apps.v1.StatefulSet",
}


def read(text):
    """The objects of a YAML stream, by kind."""
    return {document["kind"]: document for document in yaml.safe_load_all(text) if document}


def check_schema(document):
    """The findings of Kubernetes' schema, in which an unknown member is an error. Objects of operators have none."""
    if document["kind"] not in DEFINITIONS:
        return
    checked = subprocess.run(
        [ROOT / ".build/test-python/bin/python", ROOT / "Scripts/check-schema", ROOT / SCHEMA,
         DEFINITIONS[document["kind"]]],
        input=json.dumps(document), capture_output=True, text=True, check=False)
    if checked.returncode != 0:
        yield f"the {document['kind']}: {(checked.stdout + checked.stderr).strip()}"


def check_objects(objects, image, documents):
    """The objects, by kind, belong together, and the pod has the paths and the port of the image, and few rights."""
    for kind, each in objects.items():
        yield from expect(each["metadata"]["name"], "errand", f"the name of the {kind}")
        yield from check_schema(each)
    state = objects["StatefulSet"]["spec"]
    labels = state["template"]["metadata"]["labels"]
    for what, selector in [
        ("the selector of the StatefulSet", state["selector"]["matchLabels"]),
        ("the selector of the Service", objects["Service"]["spec"]["selector"]),
        ("the selector of the NetworkPolicy", objects["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"]),
    ]:
        yield from expect(selector, labels, what)
    yield from expect(state["replicas"], 1, "replicas, of which each needs the database for itself")
    yield from expect(
        state.get("podManagementPolicy"), "Parallel",
        "podManagementPolicy, which lets a pod be replaced that never becomes ready")
    yield from expect(state["serviceName"], objects["Service"]["metadata"]["name"], "serviceName")
    pod = state["template"]["spec"]
    configuration = yaml.safe_load(objects["ConfigMap"]["data"]["config.yaml"])
    yield from check_stop_time(
        pod.get("terminationGracePeriodSeconds"), documents, "terminationGracePeriodSeconds", configuration)
    yield from expect(pod["enableServiceLinks"], False, "enableServiceLinks")
    yield from expect(pod["automountServiceAccountToken"], False, "automountServiceAccountToken")
    yield from expect([container["name"] for container in pod["containers"]], ["errand"], "containers")
    container = pod["containers"][0]
    compose_image = yaml.safe_load((ROOT / COMPOSE).read_text())["services"]["errand"]["image"]
    yield from expect(
        container["image"].split(":")[0], compose_image.split(":")[0], "the name of the image, as in compose.yaml")
    yield from expect("command" in container or "args" in container, False, "another command than the image's")
    yield from check_variables([variable["name"] for variable in container["env"]], documents, "env")
    yield from check_rights(pod["securityContext"], container["securityContext"], image)
    yield from check_ports(container, objects, image)
    yield from check_probes(container, documents)
    yield from check_volumes(state, pod, container, objects["ConfigMap"], image)
    yield from expect(
        objects["NetworkPolicy"]["spec"]["policyTypes"], ["Ingress", "Egress"], "policyTypes of the NetworkPolicy")


def check_rights(pod, container, image):
    """The process is not root, has no capability and cannot write to the image."""
    for name, wanted in [
        ("runAsNonRoot", True), ("runAsUser", image.user), ("runAsGroup", image.user), ("fsGroup", image.user),
        ("seccompProfile", {"type": "RuntimeDefault"}),
    ]:
        yield from expect(pod.get(name), wanted, f"{name} of the pod")
    for name, wanted in [
        ("readOnlyRootFilesystem", True), ("allowPrivilegeEscalation", False), ("privileged", False),
        ("capabilities", {"drop": ["ALL"]}),
    ]:
        yield from expect(container.get(name), wanted, f"{name} of the container")


def check_ports(container, objects, image):
    """The container, the Service and the NetworkPolicy have the port of the image."""
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    yield from expect(ports, {"http": image.port}, "the ports of the container")
    service = objects["Service"]["spec"]["ports"]
    yield from expect([port["targetPort"] for port in service], list(ports), "targetPort of the Service")
    allowed = [port["port"] for rule in objects["NetworkPolicy"]["spec"]["ingress"] for port in rule["ports"]]
    yield from expect(allowed, [image.port], "the ports of ingress in the NetworkPolicy")


def check_probes(container, documents):
    """Liveness and readiness are probed at the paths for it."""
    names = {port["name"] for port in container["ports"]}
    for probe, path in [("startupProbe", "/healthz"), ("livenessProbe", "/healthz"), ("readinessProbe", "/readyz")]:
        get = container[probe]["httpGet"]
        yield from expect(get["path"], path, f"the path of {probe}")
        yield from expect(get["path"] in documents.paths, True, f"the path of {probe} in docs/api.md")
        yield from expect(get["port"] in names, True, f"the port of {probe} among those of the container")


def check_volumes(state, pod, container, configuration, image):
    """The data are on a claim at the volume of the image, the configuration is where the image looks for it."""
    mounts = {mount["mountPath"]: mount for mount in container["volumeMounts"]}
    claims = [claim["metadata"]["name"] for claim in state["volumeClaimTemplates"]]
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    yield from expect(len(mounts), len(container["volumeMounts"]), "the number of different mountPaths")
    yield from expect(len({*volumes, *claims}), len(pod["volumes"]) + len(claims), "the number of different volumes")
    for path, mount in mounts.items():
        yield from expect(mount["name"] in claims or mount["name"] in volumes, True, f"a volume for {path}")
    yield from expect(mounts.get(image.data, {}).get("name") in claims, True, f"a claim for {image.data}")
    file = pathlib.PurePosixPath(image.variables["ERRAND_CONFIG"])
    volume = volumes.get(mounts.get(str(file.parent), {}).get("name"), {})
    name = volume.get("configMap", {}).get("name")
    yield from expect(name, configuration["metadata"]["name"], f"the ConfigMap at {file.parent}")
    yield from expect(list(configuration["data"]), [file.name], "the files of the ConfigMap")


def check_restoration(job, objects):
    """The Job of a restoration has the image, the rights, the variables and the volumes of the gateway's pod."""
    yield from check_job(job, objects)
    container = job["spec"]["template"]["spec"]["containers"][0]
    yield from expect(container["args"][0], "restore", "the command of the Job")


def check_job(job, objects):
    """A Job that runs a command with what the gateway has."""
    yield from check_schema(job)
    state = objects["StatefulSet"]["spec"]
    pod, own = state["template"]["spec"], job["spec"]["template"]["spec"]
    container, runs = pod["containers"][0], own["containers"][0]
    for name in ("securityContext", "automountServiceAccountToken", "enableServiceLinks"):
        yield from expect(own[name], pod[name], f"{name} of the Job")
    for name in ("image", "env", "securityContext", "volumeMounts"):
        yield from expect(runs[name], container[name], f"{name} of the container of the Job")
    claim = state["volumeClaimTemplates"][0]["metadata"]["name"]
    name = f"{claim}-{objects['StatefulSet']['metadata']['name']}-0"
    data = {"name": claim, "persistentVolumeClaim": {"claimName": name}}
    yield from expect(own["volumes"], [data, *pod["volumes"]], "the volumes of the Job")
