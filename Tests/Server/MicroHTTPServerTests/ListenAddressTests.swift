import MicroHTTPServer
import Testing

@Suite("ListenAddress")
struct ListenAddressTests {
    @Test("an address is written as in a URL, and a socket as its path")
    func descriptions() {
        #expect(ListenAddress(port: 8080).description == "127.0.0.1:8080")
        #expect(ListenAddress(host: "::1", port: 80).description == "[::1]:80")
        #expect(ListenAddress.unix(path: "/run/a.sock", mode: 0o600).description == "unix:/run/a.sock")
    }

    @Test("a socket has no host and no port")
    func parts() {
        let socket = ListenAddress.unix(path: "/run/a.sock", mode: 0o600)
        #expect(socket.host == nil && socket.port == nil)
        let address = ListenAddress(host: "::1", port: 80)
        #expect(address.host == "::1" && address.port == 80)
    }
}
