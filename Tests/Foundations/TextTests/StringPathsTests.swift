import ErrandText
import Testing

@Suite("The folder of a path")
struct StringPathsTests {
    @Test(
        "is the part before the last slash",
        arguments: [
            ("file", "."), ("./file", "."), ("a/b/file", "a/b"), ("/file", "/"), ("/a/file", "/a"), ("a/", "a"),
            ("", "."), ("/a/\u{301}b", "/a"), ("\u{301}b", "."),
        ])
    func parents(path: String, folder: String) {
        #expect(path.parentFolder == folder)
    }
}

@Suite("The names in a path")
struct PathNamesTests {
    @Test(
        "are between its slashes, of which one before a combining mark is one too",
        arguments: [
            ("/a//b/", ["a", "b"], ["", "a", "", "b", ""]), ("a", ["a"], ["a"]), ("", [], [""]), ("/", [], ["", ""]),
            ("a/\u{301}b", ["a", "\u{301}b"], ["a", "\u{301}b"]),
        ])
    func names(path: String, names: [String], all: [String]) {
        #expect(path.pathNames() == names)
        #expect(path.pathNames(keepingEmpty: true) == all)
    }

    @Test("begin at the root if the path begins with a slash", arguments: ["/", "/a", "/\u{301}a"])
    func absolute(path: String) {
        #expect(path.isAbsolutePath)
        #expect(!"a\(path)".isAbsolutePath)
        #expect(!"".isAbsolutePath)
    }
}

@Suite("Normalized paths")
struct NormalizedPathTests {
    @Test(
        "have no dots and no repeated slashes",
        arguments: [
            ("a/b", "a/b"), ("/a//b/", "/a/b"), ("./a/./b", "a/b"), ("a/../b", "b"), ("../a/../../b", "../../b"),
            ("/../a", "/a"), ("", "."), (".", "."), ("/", "/"), ("a/..", "."),
            ("/a/./\u{301}b", "/a/\u{301}b"), ("/\u{301}b/..", "/"),
        ])
    func normalized(path: String, normal: String) {
        #expect(path.normalizedPath == normal)
    }

    @Test(
        "begin at a folder if they are relative, and stay as they are if it is not known",
        arguments: [
            ("a", "/b", "/b/a"), ("/a", "/b", "/a"), (".", "/b", "/b"), ("../a", "/b/c", "/b/a"), ("a", "/", "/a"),
            ("a", nil, "a"), ("/a", nil, "/a"),
        ] as [(String, String?, String)])
    func beginning(path: String, folder: String?, normal: String) {
        #expect(path.path(from: folder).normalizedPath == normal)
    }

    @Test(
        "are within a folder if they are the folder or below it",
        arguments: [
            ("data/a", "data", true), ("data", "./data/", true), ("database", "data", false),
            ("data/../x", "data", false),
            ("/var/a", "/", true), ("a", ".", true), ("../a", ".", false), ("/a", ".", false), ("a", "/a", false),
            ("a", "..", true), ("../a", "..", true),
            ("../../a", "..", false), ("../..", "..", false), ("../a", "../..", true), ("/a", "..", false),
            ("/\u{E9}/a", "/e\u{301}", false), ("/a/\u{301}b", "/a", true),
        ])
    func within(path: String, folder: String, isWithin: Bool) {
        #expect(path.isPath(within: folder) == isWithin)
    }
}
