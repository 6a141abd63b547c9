import Testing

@testable import RequestSerialization

@Suite("The media type of a file")
struct FileMediaTypeTests {
    @Test(
        "is told by the extension of its name",
        arguments: [
            ("a.txt", "text/plain"), ("a.TXT", "text/plain"), ("a.tar.gz", "application/gzip"),
            (".json", "application/json"),
            ("a.html", "text/html"), ("a.jpeg", "image/jpeg"), ("a", "application/octet-stream"),
            ("", "application/octet-stream"), ("a.", "application/octet-stream"), (".", "application/octet-stream"),
            ("a.unheard-of", "application/octet-stream"), ("a.txt ", "application/octet-stream"),
            ("png", "application/octet-stream"),
        ])
    func byExtension(filename: String, type: String) {
        #expect(FileMediaType.ofFile(named: filename) == type)
    }
}
