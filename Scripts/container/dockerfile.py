"""A Dockerfile as stages of instructions (the part of the format that the project uses)."""

import dataclasses
import json
import re

INSTRUCTIONS = {
    "FROM", "RUN", "COPY", "WORKDIR", "VOLUME", "ENV", "EXPOSE", "USER", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT",
    "CMD", "LABEL", "ARG",
}


@dataclasses.dataclass
class Instruction:
    """One instruction: its line, its name in capitals, the rest with continued lines joined."""

    line: int
    name: str
    text: str

    def exec_form(self):
        """The words of the JSON form `["a", "b"]`, or None for the shell form."""
        try:
            words = json.loads(self.text[self.text.index("["):])
        except ValueError:
            return None
        return words if isinstance(words, list) and all(isinstance(word, str) for word in words) else None

    def packages(self):
        """The packages of an `apt-get install` in a RUN."""
        found = []
        for command in re.split(r"&&|\|\||;", self.text):
            words = command.split()
            if words[:2] == ["apt-get", "install"]:
                found += [word for word in words[2:] if not word.startswith("-")]
        return found


@dataclasses.dataclass
class Stage:
    """The instructions from a FROM on."""

    line: int
    base: str
    name: str
    instructions: list

    def all(self, name):
        """The instructions of a name, in order."""
        return [instruction for instruction in self.instructions if instruction.name == name]

    def last(self, name):
        """The effective instruction with a name, or None."""
        return (self.all(name) or [None])[-1]


def parse(text):
    """The stages of a Dockerfile. Raises ValueError with the line of an unsupported instruction."""
    stages, pending, start = [], "", 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("#") or (not line.strip() and not pending):
            continue
        start = start if pending else number
        pending += line.strip()
        if pending.endswith("\\"):
            pending = pending[:-1]
            continue
        name, _, rest = pending.partition(" ")
        pending = ""
        if name.upper() not in INSTRUCTIONS:
            raise ValueError(f"{start}: unknown instruction {name}")
        instruction = Instruction(start, name.upper(), rest.strip())
        if instruction.name == "FROM":
            words = instruction.text.split()
            stages.append(Stage(start, words[0], words[2] if len(words) == 3 and words[1].upper() == "AS" else "", []))
        elif not stages:
            raise ValueError(f"{start}: {name} before FROM")
        else:
            stages[-1].instructions.append(instruction)
    if pending:
        raise ValueError(f"{start}: the last line is continued")
    return stages
