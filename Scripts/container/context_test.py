"""Tests of the files of a build of the Dockerfile. Run: python3 Scripts/container/context_test.py"""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from container import context, dockerfile  # noqa: E402


class Hidden(unittest.TestCase):
    """The files that .dockerignore excludes."""

    def test_the_last_rule_that_matches_decides(self):
        ignore = context.Ignore("# all but\n*\n!Sources\n!Fuzz/Sources/Fuzzing\nSources/*/Old\n")
        for path, is_hidden in {
            "README.md": True, "Sources/A/B.swift": False, "Sources/A/Old/B.swift": True, "Fuzz/README.md": True,
            "Fuzz/Sources/Entry/main.c": True, "Fuzz/Sources/Fuzzing/A.swift": False, "Sources2/A": True,
        }.items():
            self.assertEqual(ignore.hides(path), is_hidden, path)

    def test_patterns(self):
        for pattern, path, is_hidden in [
            ("*.md", "a.md", True), ("*.md", "docs/a.md", False), ("**/*.md", "docs/x/a.md", True),
            ("**/*.md", "a.md", True), ("docs", "docs/x/a.md", True), ("/docs/", "docs/a.md", True),
            ("a?c", "abc", True), ("a?c", "a/c", False), ("a[bc]d", "abd", True), ("a[bc]d", "aed", False),
            ("\\*", "x", False), ("\\*", "*", True), ("a.b", "axb", False), ("docs/**", "docs/x/a", True),
        ]:
            self.assertEqual(context.Ignore(pattern).hides(path), is_hidden, (pattern, path))


class Copied(unittest.TestCase):
    """The files that a stage copies, with their destinations."""

    def test_files_and_folders_land_where_docker_puts_them(self):
        files = ["Package.swift", "Package.resolved", "Sources/A/A.swift", "Fuzz/Sources/Fuzzing/F.swift", "LICENSE"]
        text = (
            "FROM x AS build\nCOPY Package.swift Package.resolved ./\nCOPY Sources Sources\n"
            "COPY Fuzz/Sources/Fuzzing Fuzz/Sources/Fuzzing\nCOPY LICENSE renamed\nCOPY LICENSE /etc/licence\n"
            "COPY --from=other /out /out\n")
        with tempfile.TemporaryDirectory() as name:
            root, folder = pathlib.Path(name) / "root", pathlib.Path(name) / "copied"
            for file in files:
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).write_text(file)
            context.assemble(dockerfile.parse(text)[0], files, root, folder)
            found = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
        self.assertEqual(found, {**{file: file for file in files[:4]}, "renamed": "LICENSE"})


if __name__ == "__main__":
    unittest.main()
