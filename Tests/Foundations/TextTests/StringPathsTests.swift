import ErrandText
import Testing

@Suite("The folder of a path")
struct StringPathsTests {
    @Test(
        "is the part before the last slash",
        arguments: [
            ("file", "."), ("./file", "."), ("a/b/file", "a/b"), ("/file", "/"), ("/a/file", "/a"), ("a/", "a"),
            ("", "."),
        ])
    func parents(path: String, folder: String) {
        #expect(path.parentFolder == folder)
    }
}
