import CErrandCurl
import ErrandTransfer
import Glibc
import Testing

@testable import ErrandCurlEngine

@Suite("Errors of connections that could not be made")
struct TransferErrorCurlTests {
    @Test(
        "A machine without a network or a route is told apart from a host that cannot be reached",
        arguments: [
            (ENETUNREACH, .notConnected, ": no route leads to it"),
            (ENETDOWN, .notConnected, ": the network of this machine is down"),
            (EHOSTUNREACH, .cannotConnect, ": the host cannot be reached"),
            (ECONNREFUSED, .cannotConnect, ": connection refused"), (0, .cannotConnect, ""),
        ] as [(Int32, TransferError.Code, String)])
    func connecting(number: Int32, code: TransferError.Code, reason: String) throws {
        let request = TransferRequest(url: try HTTPURL("http://192.0.2.7/"))
        let direct = TransferError(connectingTo: request, CURLE_COULDNT_CONNECT, systemError: number)
        #expect(direct == TransferError(code, "Could not connect to 192.0.2.7 port 80\(reason)"))
        let proxied = TransferError(connectingToProxy: CURLE_COULDNT_CONNECT, systemError: number)
        let expected = TransferError(.notConnected, "Could not connect to the proxy\(reason)")
        #expect(proxied == (code == .notConnected ? expected : nil))
    }
}
