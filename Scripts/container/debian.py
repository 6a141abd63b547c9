"""Queries of Debian's package database, without network and package lists."""

import re
import shutil
import subprocess


def is_there():
    """True if this is a system with that database."""
    return shutil.which("dpkg-query") is not None


def is_known(package):
    """True if a package is installed, or else in the lists of the last update."""
    return _query("dpkg-query", "--show", package) is not None or bool(_query("apt-cache", "show", package))


def closure(packages):
    """The packages with their dependencies, and those of every Debian system. Installed packages only."""
    listing = _query(
        "dpkg-query", "--show", "--showformat", r"${Package}\t${Essential}\t${Priority}\t${Provides}\t${Depends}, ${Pre-Depends}\n")
    depends, provided = {}, {}
    seen, todo = set(), list(packages)
    for line in (listing or "").splitlines():
        name, essential, priority, provides, needs = line.split("\t")
        depends[name] = re.findall(r"(?:^|[,|])\s*([a-z0-9][a-z0-9.+-]+)", needs)
        for virtual in re.findall(r"(?:^|,)\s*([a-z0-9][a-z0-9.+-]+)", provides):
            provided.setdefault(virtual, name)
        if essential == "yes" or priority == "required":
            todo.append(name)
    while todo:
        name = todo.pop()
        name = name if name in depends else provided.get(name, name)
        if name not in seen:
            seen.add(name)
            todo += depends.get(name, [])
    return seen


def owners_of_library(path):
    """The packages that contain a library with this name."""
    listing = _query("dpkg-query", "--search", "*/" + path.rsplit("/", 1)[-1]) or ""
    return {owner.strip().split(":")[0] for line in listing.splitlines() for owner in line.split(": ")[0].split(",")}


def _query(*command):
    """The output of a command, or None if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None
