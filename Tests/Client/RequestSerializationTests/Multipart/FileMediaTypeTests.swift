import Testing

@testable import ErrandRequestSerialization

@Suite("The media type of a file")
struct FileMediaTypeTests {
    @Test(
        "is determined by the extension of its name",
        arguments: [
            ("a.txt", "text/plain"), ("a.TXT", "text/plain"), ("a.tar.gz", "application/gzip"),
            (".json", "application/json"),
            ("a.html", "text/html"), ("a.jpeg", "image/jpeg"), ("a", "application/octet-stream"),
            ("", "application/octet-stream"), ("a.", "application/octet-stream"), (".", "application/octet-stream"),
            ("a.unheard-of", "application/octet-stream"), ("a.txt ", "application/octet-stream"),
            ("png", "application/octet-stream"),
            ("a.cer", "application/pkix-cert"), ("a.crt", "application/x-x509-ca-cert"),
            ("a.pem", "application/x-pem-file"), ("a.der", "application/x-x509-ca-cert"),
            ("a.p12", "application/x-pkcs12"), ("a.plist", "application/x-plist"), ("a.m4v", "video/x-m4v"),
            ("a.apk", "application/vnd.android.package-archive"),
        ])
    func byExtension(filename: String, type: String) {
        #expect(FileMediaType.ofFile(named: filename) == type)
    }
}
