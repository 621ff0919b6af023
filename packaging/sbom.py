"""What is bundled, as CycloneDX 1.6: packaging/sbom.py FILE. Runs in build/venv, as licences.py."""

from __future__ import annotations

import hashlib
import os
import sys
import tomllib
import uuid
from datetime import UTC, datetime
from importlib.metadata import Distribution
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.contrib.this.builders import this_component
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

from licences import ROOT, bundled, crates, licence_of

LOCK = Path(__file__).with_name("requirements.lock")
CRATES = Path(__file__).parents[1] / "app/kernel/Cargo.lock"


def component(package: Distribution, hashes: dict[str, list[str]]) -> Component:
    """A package with its licence and the hashes that the lock allows for its files."""
    said = licence_of(package)
    made = package.name == ROOT
    return Component(
        name=package.name,
        version=package.version,
        type=ComponentType.APPLICATION if made else ComponentType.LIBRARY,
        purl=PackageURL("pypi", name=package.name.lower(), version=package.version),
        bom_ref=f"{package.name}@{package.version}",
        licenses=[LicenseFactory().make_from_string(said)] if said else [],
        hashes=[
            HashType(alg=HashAlgorithm.SHA_256, content=h)
            for h in hashes.get(package.name.lower(), [])
        ],
    )


def locked_hashes() -> dict[str, list[str]]:
    """SHA-256 of every file of the lock, by the name of its package."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in LOCK.read_text().splitlines():
        if "==" in line and not line.startswith((" ", "#")):
            name = line.partition("==")[0].lower()
        elif "--hash=sha256:" in line:
            found.setdefault(name, []).append(line.partition("--hash=sha256:")[2].strip(" \\"))
    return found


def compiled_in() -> list[Component]:
    """The crates of the log kernel."""
    locked = {
        package["name"]: package.get("checksum")
        for package in tomllib.loads(CRATES.read_text())["package"]
    }
    return [
        Component(
            name=name,
            version=version,
            type=ComponentType.LIBRARY,
            purl=PackageURL("cargo", name=name, version=version) if name in locked else None,
            bom_ref=f"cargo:{name}@{version}",
            licenses=[LicenseFactory().make_from_string(said)],
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=locked[name])]
            if name in locked
            else [],
        )
        for name, version, said in crates()
    ]


def bill() -> Bom:
    """The bill of what is bundled; the same content, the same bytes."""
    hashes = locked_hashes()
    parts = {package.name: component(package, hashes) for package in bundled()}
    python = Component(
        name="Python",
        version=sys.version.split()[0],
        type=ComponentType.PLATFORM,
        bom_ref="Python",
        licenses=[LicenseFactory().make_from_string("PSF-2.0")],
    )
    whole = parts.pop(ROOT)
    bom = Bom(components=[*parts.values(), *compiled_in(), python])
    bom.metadata.component = whole
    bom.metadata.tools.components.add(this_component())
    bom.metadata.timestamp = datetime.fromtimestamp(
        int(os.environ.get("SOURCE_DATE_EPOCH", "0")), UTC
    )
    bom.serial_number = uuid.UUID(
        bytes=hashlib.sha256(
            "\n".join(sorted(c.bom_ref.value for c in bom.components)).encode()
        ).digest()[:16],
        version=4,
    )
    bom.register_dependency(whole, bom.components)
    return bom


def main(path: Path) -> None:
    """Write it, once it validates."""
    text = JsonV1Dot6(bill()).output_as_string(indent=2)
    if fault := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        sys.exit(f"Not a valid CycloneDX document: {fault}")
    path.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
