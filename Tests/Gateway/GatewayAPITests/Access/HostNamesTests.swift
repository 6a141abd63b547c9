import Testing

@testable import ErrandGatewayAPI
@testable import ErrandTaskEngine

@Suite("HostNames")
struct HostNamesTests {
    private let names = HostNames(["Gateway.Example", "192.0.2.7", "[2001:db8::1]"])

    @Test(
        "accepts local and configured names, with and without a port",
        arguments: [
            "localhost", "LOCALHOST:8080", "127.0.0.1", "127.0.0.1:80", "127.255.0.3", "[::1]", "[::1]:8080",
            "gateway.example", "GATEWAY.example:443", "192.0.2.7:1", "[2001:db8::1]:8080",
        ])
    func known(authority: String) {
        #expect(names.contains(authority: authority))
    }

    @Test(
        "refuses all other names, in any spelling",
        arguments: [
            "", ":8080", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "127.1", "127.0.0",
            "0x7f.0.0.1",
            "127.0.0.0.1", "127.0.0.1.", ".127.0.0.1", "0127.0.0.1", "127.0.0.",
            "127.0.0.256", "127.0.0.-1", "127.0.0.+1", "127..0.1", "128.0.0.1", "[::2]", "[::1", "::1", "localhost.",
            "gateway.example.", "xlocalhost", "127.0.0.1 ",
        ])
    func unknown(authority: String) {
        #expect(!names.contains(authority: authority))
    }

    @Test("refuses a missing name")
    func missing() {
        #expect(!names.contains(authority: nil))
    }
}
