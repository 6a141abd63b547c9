"""The files of a build of the Dockerfile: those that .dockerignore includes, and those that a stage copies."""

import pathlib
import re
import shutil


class Ignore:
    """The rules of a .dockerignore. The last one that matches a path, or a folder above it, decides."""

    def __init__(self, text):
        self.rules = []
        for line in text.splitlines():
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            pattern = line.removeprefix("!").strip().strip("/")
            self.rules.append((_expression(pattern), line.startswith("!")))

    def hides(self, path):
        """True if a path, relative to the project, is excluded from the build."""
        parts = pathlib.PurePosixPath(path).parts
        above = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
        hidden = False
        for expression, brings_back in self.rules:
            if any(expression.fullmatch(name) for name in above):
                hidden = not brings_back
        return hidden


def _expression(pattern):
    """A pattern as a regular expression: * and ? within a name, ** over folders, [a-z] a class, \\ an escape."""
    result, index = "", 0
    while index < len(pattern):
        rest = pattern[index:]
        if rest.startswith("**/"):
            result, index = result + "(?:.*/)?", index + 3
        elif rest.startswith("**"):
            result, index = result + ".*", index + 2
        elif rest[0] == "*":
            result, index = result + "[^/]*", index + 1
        elif rest[0] == "?":
            result, index = result + "[^/]", index + 1
        elif rest[0] == "[" and "]" in rest:
            result, index = result + rest[: rest.index("]") + 1], index + rest.index("]") + 1
        elif rest[0] == "\\" and len(rest) > 1:
            result, index = result + re.escape(rest[1]), index + 2
        else:
            result, index = result + re.escape(rest[0]), index + 1
    return re.compile(result)


def sources(copy):
    """The source names of a COPY from the context and its destination; None when it copies from another stage."""
    words = copy.text.split()
    if any(word.startswith("--from=") for word in words):
        return None
    *names, destination = [word for word in words if not word.startswith("--")]
    return names, destination


def below(name, files):
    """The files of a source name of a COPY."""
    name = name.strip("/")
    return [file for file in files if file == name or file.startswith(name + "/") or name in ("", ".")]


def assemble(stage, files, root, folder):
    """Copies the files that a stage copies into its working directory to a folder, as Docker does.

    `files` are the paths below `root` that the build sees. Destinations outside the working directory are left out.
    """
    for copy in stage.all("COPY"):
        named = sources(copy)
        if named is None or named[1].startswith("/"):
            continue
        names, destination = named
        for name in names:
            for file in below(name, files):
                if file == name.strip("/"):
                    # A file: into a folder if the destination ends with a slash, or gets several.
                    is_folder = destination.endswith(("/", ".")) or len(names) > 1
                    target = folder / destination / pathlib.PurePosixPath(file).name if is_folder else folder / destination
                else:
                    # A folder: its content, without its own name.
                    target = folder / destination / pathlib.PurePosixPath(file).relative_to(name.strip("/"))
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / file, target)
