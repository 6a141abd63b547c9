"""Queries of Debian's package database, without network and package lists."""

import pathlib
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


def owners(paths):
    """The packages that have installed files, by path. Files may be found at their places before the merge of /lib into
    /usr, or after it."""
    names = {}
    for path in paths:
        other = path.removeprefix("/usr") if path.startswith("/usr/") else f"/usr{path}"
        names.update({path: path, other: path})
    # The exit status is 1 if one of them is not found.
    found = subprocess.run(["dpkg-query", "--search", *names], capture_output=True, text=True, check=False).stdout
    packages = {}
    for line in found.splitlines():
        owner, _, name = line.partition(": ")
        if name in names:
            packages[names[name]] = owner.split(",")[0].split(":")[0]
    return packages


def details(packages):
    """The versions, architectures, homepages and source packages of installed packages, by name."""
    names = ["Package", "Version", "Architecture", "Homepage", "source:Package"]
    form = r"\t".join(f"${{{name}}}" for name in names) + r"\n"
    rows = (_query("dpkg-query", "--show", "--showformat", form, *packages) or "").splitlines()
    return {row.split("\t")[0]: dict(zip(names, row.split("\t"))) for row in rows}


def licence(package):
    """The licence of most files of an installed package, in Debian's short form; None if its copyright is not in that form."""
    try:
        text = pathlib.Path(f"/usr/share/doc/{package}/copyright").read_text(errors="replace")
    except OSError:
        return None
    found = re.search(r"^Files:\s*\*\s*\n(?:.+\n)*?License:[ \t]*(\S.*)", text, re.MULTILINE)
    return found[1].strip() if found else None


def _query(*command):
    """The output of a command, or None if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None
