import ErrandLocking
import ErrandReferenceParsers
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

    @Test("mutated requests get valid responses, and the handler sees no more of them than a strict parser")
    func mutations() async throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        let recorder = RequestRecorder()
        var mutator = RequestMutator(seed: seed)
        var (complete, accepted, refused) = (0, 0, 0)
        try await TestServer.with(try configuration(), handler: recorder) { server in
            for number in 0..<200 {
                let bytes = Array((0...mutator.number(below: 4)).map { _ in mutator.next() }.joined())
                let requests = ReferenceRequests(bytes)
                let client = try await RawHTTPClient.tls(port: server.port)
                let middle = mutator.number(below: bytes.count + 1)
                for piece in [bytes[..<middle], bytes[middle...]] where !piece.isEmpty {
                    // Rejected before all of it was sent.
                    do { try await client.send(Array(piece)) } catch { break }
                }
                client.finishSending()
                let received = try await client.untilClosedOrReset()
                let responses = try WireResponseReader.responses(in: received, mayBeCut: true)
                #expect(
                    responses.count <= requests.complete + (requests.rest == .nothing ? 0 : 1),
                    "seed \(seed), connection \(number): \(String(decoding: bytes.prefix(4000), as: UTF8.self))")
                complete += requests.complete
                accepted += responses.count { $0.status == 200 }
                refused += responses.count { $0.status == 400 }
            }
        }
        #expect(accepted > 0 && refused > 0)
        let handled = recorder.seen.withLock { $0.contents.count }
        #expect(accepted <= handled && handled <= complete, "seed \(seed)")
    }
}
