import Testing

@testable import ErrandDownloads

@Suite("The options of a download")
struct DownloadOptionsTests {
    @Test(
        "have the nearest number of connections that a download may have",
        arguments: [(Int.min, 1), (0, 1), (1, 1), (16, 16), (17, 16), (.max, 16)])
    func connections(given: Int, valid: Int) {
        let options = DownloadOptions(maxBytes: 5, connections: given)
        #expect(options.connections == given)
        #expect(options.withValidConnections.connections == valid)
        #expect(options.withValidConnections.maxBytes == 5)
    }
}
