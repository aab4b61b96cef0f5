"""What is deployed: valid by the schemas of its tools, without privileges, secrets as files.

The schemas come with the packages `kubernetes-validate` and `check-jsonschema`; nothing is fetched.
"""

import json
import os
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from jsonschema import Draft202012Validator
from typer.main import get_command

from hammerstone.serve.api.rights import OPERATIONS
from hammerstone.serve.cli.main import app

DEPLOY = Path(__file__).parents[2] / "deploy"
MANIFESTS = [
    manifest
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    for manifest in yaml.safe_load_all(path.read_text())
]
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
PODS = [one for one in MANIFESTS if one["kind"] in ("Deployment", "Job")]
WORKER_GRACE_S = 30  # the policy queue.grace_s


def named(kind: str, name: str) -> dict[str, Any]:
    return next(m for m in MANIFESTS if m["kind"] == kind and m["metadata"]["name"] == name)


@pytest.mark.parametrize("version", ["1.29", "1.33", kubernetes_validate.latest_version()])
@pytest.mark.parametrize(
    "manifest", MANIFESTS, ids=lambda m: f"{m['kind']} {m['metadata']['name']}"
)
def test_every_manifest_is_valid(manifest: dict[str, Any], version: str) -> None:
    kubernetes_validate.validate(manifest, version, strict=True)


def test_the_validator_does_say_no() -> None:
    wrong = json.loads(json.dumps(named("Deployment", "hammerstone-api")))
    wrong["spec"]["replica"] = 2
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, "1.33", strict=True)


def test_the_compose_file_is_valid() -> None:
    shipped = files("check_jsonschema") / "builtin_schemas" / "vendor" / "compose-spec.json"
    checked = Draft202012Validator(json.loads(shipped.read_text("utf-8")))
    assert list(checked.iter_errors(COMPOSE)) == []
    assert list(checked.iter_errors({"services": {"api": {"imgae": "x"}}}))


@pytest.mark.parametrize("manifest", PODS, ids=lambda m: m["metadata"]["name"])
def test_pods_have_no_privileges_and_secrets_only_as_files(manifest: dict[str, Any]) -> None:
    pod = manifest["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["runAsUser"] > 0
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["automountServiceAccountToken"] is False
    (container,) = pod["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert "env" not in container and "secretRef" not in str(container["envFrom"])
    assert "memory" in container["resources"]["limits"]
    mounted = {mount["name"] for mount in container["volumeMounts"]}
    assert mounted == {volume["name"] for volume in pod["volumes"]}


def test_labels_names_and_ports_fit_together() -> None:
    for manifest in PODS:
        labels = manifest["spec"]["template"]["metadata"]["labels"]
        chosen = manifest["spec"].get("selector", {}).get("matchLabels", {})
        assert chosen.items() <= labels.items()
    api = named("Deployment", "hammerstone-api")["spec"]["template"]
    service = named("Service", "hammerstone")["spec"]
    assert service["selector"].items() <= api["metadata"]["labels"].items()
    (container,) = api["spec"]["containers"]
    assert service["ports"][0]["targetPort"] in {port["name"] for port in container["ports"]}
    for scaler in (m for m in MANIFESTS if m["kind"] == "HorizontalPodAutoscaler"):
        named("Deployment", scaler["spec"]["scaleTargetRef"]["name"])


def test_probes_ask_for_what_is_served_without_a_token() -> None:
    (container,) = named("Deployment", "hammerstone-api")["spec"]["template"]["spec"]["containers"]
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert ("GET", container[probe]["httpGet"]["path"]) in OPERATIONS
    assert "/ready" in str(COMPOSE["services"]["api"]["healthcheck"])


def test_a_worker_has_the_time_to_finish() -> None:
    pod = named("Deployment", "hammerstone-workers")["spec"]["template"]["spec"]
    assert pod["terminationGracePeriodSeconds"] >= WORKER_GRACE_S + 10
    given = COMPOSE["services"]["worker"]["stop_grace_period"]
    assert int(given.removesuffix("s")) >= WORKER_GRACE_S + 10


def test_commands_exist() -> None:
    known = get_command(app)
    preparing = named("Job", "hammerstone-prepare")["spec"]["template"]["spec"]["containers"][0]
    text = (
        " ".join(preparing["command"]) + " " + " ".join(COMPOSE["services"]["prepare"]["command"])
    )
    said = re.findall(r"hammerstone (\w+) (\w+)", text)
    assert {("db", "migrate"), ("sandbox", "setup")} == set(said)
    for group, command in said:
        assert command in known.commands[group].commands  # type: ignore[attr-defined]
    assert COMPOSE["services"]["api"]["command"] == ["hammerstone", "serve"]
    assert "serve" in known.commands  # type: ignore[attr-defined]


def test_the_containerfile_copies_what_is_there_and_is_not_root() -> None:
    text = (DEPLOY / "Containerfile").read_text()
    copied = [
        line.split()[1:-1] for line in text.splitlines() if re.match(r"COPY (?!--from)", line)
    ]
    assert copied
    for name in (name for names in copied for name in names):
        assert (DEPLOY.parent / name).exists()
    users = re.findall(r"^USER (\d+)", text, re.MULTILINE)
    assert users and all(int(user) > 0 for user in users)


def test_secrets_are_made_once(tmp_path: Path) -> None:
    script = shutil.copy(DEPLOY / "make-secrets", tmp_path)
    for _ in range(2):
        subprocess.run(["sh", script], check=True, capture_output=True)
    made = {path.name: path.read_text() for path in (tmp_path / "secrets").iterdir()}
    assert set(COMPOSE["secrets"]) == set(made)
    assert made["postgres_password"] in made["hammerstone_database_url"]
    assert len(made["hammerstone_token"]) == 48
    assert not os.stat(tmp_path / "secrets/hammerstone_token").st_mode & 0o222
