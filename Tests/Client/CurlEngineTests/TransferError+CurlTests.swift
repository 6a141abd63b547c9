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

    @Test(
        "A refusal by this machine itself is told apart from one by the peer, and names the remedy",
        arguments: [
            (EACCES, "not permitted by the system", "check the firewall of this machine"),
            (EPERM, "not permitted by the system", "check the firewall of this machine"),
            (EADDRNOTAVAIL, "no local address or port is available", "check the addresses of this machine"),
            (EADDRINUSE, "no local address or port is available", "check the addresses of this machine"),
            (EMFILE, "this process has no free descriptor for a connection", "raise its limit of open files"),
            (ENFILE, "this machine has no free descriptor for a connection", "raise its limit of open files"),
            (ENOBUFS, "this machine has no free memory for a connection", "free some"),
            (ENOMEM, "this machine has no free memory for a connection", "free some"),
        ] as [(Int32, String, String)])
    func local(number: Int32, reason: String, remedy: String) throws {
        let request = TransferRequest(url: try HTTPURL("http://192.0.2.7/"))
        let direct = try #require(TransferError(connectingTo: request, CURLE_COULDNT_CONNECT, systemError: number))
        #expect(direct.code == .cannotConnect)
        // A firewall is a lasting obstacle, as a missing route is.
        let lacksResource = number != EACCES && number != EPERM
        #expect(direct.isLocal == lacksResource)
        #expect(direct.message.hasPrefix("Could not connect to 192.0.2.7 port 80: \(reason); \(remedy)"))
        let proxied = try #require(TransferError(connectingToProxy: CURLE_COULDNT_CONNECT, systemError: number))
        #expect(proxied.code == .cannotConnect)
        #expect(proxied.isLocal == lacksResource)
        #expect(proxied.message.hasPrefix("Could not connect to the proxy: \(reason); \(remedy)"))
        // Of several addresses, one has not answered in time.
        let late = TransferError(connectingTo: request, CURLE_OPERATION_TIMEDOUT, systemError: number)
        #expect(late?.code == .timedOut)
        #expect(late?.isLocal == false)
    }
}
