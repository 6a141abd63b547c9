import ErrandLocking
import ErrandSupport
import MicroHTTPServer
import Testing

// Serialized: a concurrent server for each of the many requests takes too many descriptors.
@Suite("Hostile requests over TLS", .timeLimit(.hang), .serialized)
struct HostileTLSRequestTests {
    private func configuration() throws -> ServerConfiguration {
        var configuration = ServerConfiguration.patient
        configuration.tls = try .test()
        return configuration
    }

    /// The requests that libmicrohttpd would repair, and every fourth of the others.
    private static let requests =
        HostileRequest.mended
        + HostileRequest.all.dropLast(HostileRequest.mended.count).enumerated().filter { $0.offset % 4 == 0 }
        .map(\.element)

    @Test("a request ends at its declared end, in one record and in a record for each byte", arguments: requests)
    func verdicts(request: HostileRequest) async throws {
        let recorder = RequestRecorder()
        // So many records of one byte take minutes and show nothing else.
        let sizes = request.raw.count < 1000 ? [Int.max, 1] : [Int.max]
        try await TestServer.with(try configuration(), handler: recorder) { server in
            for size in sizes {
                try await request.check(on: RawHTTPClient.tls(port: server.port), pieceBytes: size)
            }
        }
        request.check(recorder, times: sizes.count)
    }
}
