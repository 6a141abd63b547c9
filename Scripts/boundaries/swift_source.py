"""A Swift file for the boundary rules: code and comments separated, string contents blanked.

A scanner, not a parser: it recognizes comments (nested), string literals (raw, multi-line, with interpolation) and
nothing else. Every character keeps its position, so that an offset in the code is an offset in the file.
"""

import bisect
import re


class SwiftSource:
    """The text of a file, its code without comments and string contents, and its lines."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.lines = text.split("\n")
        self.code = "".join(_Scanner(text).code())
        self.code_lines = self.code.split("\n")
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def line_of(self, offset):
        """The 1-based line of an offset."""
        return bisect.bisect_right(self._starts, offset)

    def is_comment(self, line):
        """True if a 1-based line contains only a comment."""
        return 1 <= line <= len(self.lines) and self.lines[line - 1].strip() != "" \
            and self.code_lines[line - 1].strip() == "" and self.lines[line - 1].strip().startswith(("//", "/*", "*"))

    def comment_block_above(self, line):
        """The comment lines that end directly above a 1-based line; attributes in between do not count."""
        above = line - 1
        while above >= 1 and re.fullmatch(r"\s*@\w+(\([^)]*\))?\s*", self.code_lines[above - 1]):
            above -= 1
        block = []
        while self.is_comment(above):
            block.insert(0, self.lines[above - 1].strip())
            above -= 1
        return block

    def first_comment(self):
        """The comment at the start of the file."""
        block = []
        for number in range(1, len(self.lines) + 1):
            if not self.is_comment(number):
                break
            block.append(self.lines[number - 1].strip())
        return " ".join(block)


class _Scanner:
    """Copies code and blanks the rest."""

    def __init__(self, text):
        self.text = text
        self.at = 0
        self.out = list(text)

    def code(self):
        self._code(closing=None)
        return self.out

    def _code(self, closing):
        """Scans code up to the parenthesis that closes an interpolation, or to the end."""
        depth = 0
        while self.at < len(self.text):
            if self.text.startswith("//", self.at):
                end = self.text.find("\n", self.at)
                self._blank(end if end >= 0 else len(self.text))
            elif self.text.startswith("/*", self.at):
                self._block_comment()
            elif literal := re.compile(r'(#*)("""|")').match(self.text, self.at):
                self._string(literal[1], literal[2])
            else:
                character = self.text[self.at]
                depth += (character == "(") - (character == ")")
                self.at += 1
                if closing and depth < 0:
                    return

    def _block_comment(self):
        start, depth = self.at, 0
        for mark in re.finditer(r"/\*|\*/", self.text[start:]):
            depth += 1 if mark[0] == "/*" else -1
            if depth == 0:
                self._blank(start + mark.end())
                return
        self._blank(len(self.text))

    def _string(self, hashes, quotes):
        self.at += len(hashes) + len(quotes)
        end, escape = quotes + hashes, "\\" + hashes
        while self.at < len(self.text):
            if self.text.startswith(end, self.at):
                self.at += len(end)
                return
            if self.text.startswith(escape + "(", self.at):
                self.at += len(escape) + 1
                self._code(closing=")")
            elif self.text.startswith(escape, self.at):
                self._blank(self.at + len(escape) + 1)
            elif self.text[self.at] == "\n" and quotes == '"':
                return  # Not a literal after all (a regular expression, say): go on with the next line.
            else:
                self._blank(self.at + 1)

    def _blank(self, end):
        for place in range(self.at, min(end, len(self.text))):
            if self.text[place] != "\n":
                self.out[place] = " "
        self.at = end
