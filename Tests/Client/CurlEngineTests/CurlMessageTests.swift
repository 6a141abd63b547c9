import Testing

@testable import ErrandCurlEngine

@Suite("CurlMessage")
struct CurlMessageTests {
    private func message(_ text: String) -> CurlMessage? {
        var text = text
        return text.withUTF8 { CurlMessage(UnsafeRawBufferPointer($0)) }
    }

    @Test("libcurl's messages about streams and connections are read")
    func messages() {
        #expect(message("Using Stream ID: 3 (easy handle 0x55d0)\n") == .stream(3))
        #expect(message("recveived GOAWAY, error=0, last_stream=5\n") == .goAway(lastStream: 5))
        #expect(message("received GOAWAY, error=11, last_stream=2147483647\n") == .goAway(lastStream: 2_147_483_647))
        for address in ["SOCKS5 connect to IPv4 192.0.2.7:443", "SOCKS5 connect to IPv6 2001:db8::7:80"] {
            #expect(message("\(address) (locally resolved)\n") == .hostWasFound)
        }
        #expect(message("SOCKS4 connect to IPv4 192.0.2.7 (locally resolved)\n") == .hostWasFound)
        #expect(message("Connection #12 to host example.com left intact\n") == .connectionWasReusable)
        #expect(message("Connection cache is full, closing the oldest one\n") == .connectionWasReusable)
    }

    @Test(
        "A request's own text is no message, whatever it says",
        arguments: [
            "h2h3 [x-note: recveived GOAWAY, error=0, last_stream=0]\n",
            "h2h3 [recveived: GOAWAY, last_stream=0]\n",
            "h2h3 [:path: /?Using Stream ID: 1]\n",
            "h2h3 [x: Connection #1 to host a left intact]\n",
            "h2h3 [cookie: Connection cache is full]\n",
            "h2h3 [x: SOCKS5 connect to IPv4 192.0.2.7:443 (locally resolved)]\n",
            " recveived GOAWAY, error=0, last_stream=0\n",
            "",
        ])
    func requests(text: String) {
        #expect(message(text) == nil)
    }

    @Test("A message without its number, or a longer one, is none")
    func malformed() {
        #expect(message("Using Stream ID: x") == nil)
        #expect(message("recveived GOAWAY, error=0") == nil)
        #expect(message("Using Stream ID: 99999999999999999999") == nil)
        #expect(message("Connection #1 to host \(String(repeating: "a", count: 200)) left intact") == nil)
    }
}
