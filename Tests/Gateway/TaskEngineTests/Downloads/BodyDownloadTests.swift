import ErrandBodyFiles
import ErrandDownloads
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import Foundation
import HTTPTypes
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("An attempt at a download without a destination", .timeLimit(.hang))
struct BodyDownloadTests {
    private static let content = [UInt8].noise(400_000)
    private let folder: GatewayFolder
    private let storage: ContentStorage
    private let record = TaskRecord.sample(1, kind: .download, state: .running)

    init() throws {
        folder = try GatewayFolder()
        storage = try .sample(folder)
    }

    private static func head(_ status: Int, from offset: Int = 0, tag: String = #""v1""#) -> ResponseHead {
        var fields: HTTPFields = [.eTag: tag, .contentLength: "\(content.count - offset)", .contentType: "text/csv"]
        if status == 206 { fields[.contentRange] = "bytes \(offset)-\(content.count - 1)/\(content.count)" }
        return ResponseHead(status: status, headers: fields)
    }

    /// Sends the first 300,000 bytes and then fails, and the rest when that is asked for.
    private static func steps(_ request: TransferRequest) -> [ScriptedTransport.Step] {
        guard request.headers[.range] != nil else {
            return [
                .head(head(200)), .bytes(Array(content[..<300_000])),
                .fail(TransferError(.connectionLost, "The connection was cut")),
            ]
        }
        return [.head(head(206, from: 300_000)), .bytes(Array(content[300_000...]))]
    }

    /// Runs an attempt.
    private func run(
        _ transport: ScriptedTransport, path: String = "file", maxBytes: Int64? = nil,
        control: AttemptControl = AttemptControl()
    ) async throws -> SessionOutcome {
        var configuration = SessionConfiguration(name: "up", baseURL: try HTTPURL("http://upstream.example/"))
        configuration.response.serializer = .raw
        let session = Session(configuration, transport: transport)
        let request = DownloadSpecification().applied(to: TaskRequest(path: path), under: configuration.response)
        return await BodyDownload(
            of: record, maxBytes: maxBytes, request: try session.prepare(request), in: session, storage: storage
        ).run(control: control)
    }

    /// The number of bytes that the next attempt does not request again.
    private func resumable() async -> Int64 {
        await storage.bodyDownloads.resumableBytes(of: record.id.description)
    }

    @Test("continues what the one before has received")
    func continued() async throws {
        let transport = ScriptedTransport(Self.steps)
        let first = try await run(transport)
        #expect(first.error?.code == .connectionLost)
        #expect(await resumable() == 300_000)
        let second = try await run(transport)
        #expect(second.error == nil)
        #expect(second.response?.body?.size == Int64(Self.content.count))
        #expect(try await storage.bodies.read(record.id, maxBytes: .max) == Self.content)
        #expect(transport.requests.map { $0.headers[.range] } == [nil, "bytes=300000-"])
        #expect(transport.requests.map { $0.headers[.ifRange] } == [nil, #""v1""#])
        #expect(await resumable() == 0)
    }

    @Test("leaves what can be resumed if it is canceled before it has opened that")
    func canceledBefore() async throws {
        let transport = ScriptedTransport(Self.steps)
        _ = try await run(transport)
        let control = AttemptControl()
        control.cancel()
        let canceled = try await run(transport, control: control)
        #expect(canceled.error?.code == .canceled)
        #expect(await resumable() == 300_000)
        #expect(transport.requests.count == 1)
    }

    @Test("tells of the redirects of all its requests")
    func hops() async throws {
        let transport = ScriptedTransport { request in
            guard request.url.path == "/b" else {
                return [.head(ResponseHead(status: 302, headers: [.location: "/b"]))]
            }
            guard request.headers[.range] != nil else {
                return [
                    .head(Self.head(200)), .bytes(Array(Self.content[..<300_000])),
                    .fail(TransferError(.connectionLost, "The connection was cut")),
                ]
            }
            let offset = request.headers[.range] == "bytes=300000-" ? 300_000 : 350_000
            var head = Self.head(206, from: offset)
            guard offset == 300_000 else { return [.head(head), .bytes(Array(Self.content[350_000...]))] }
            head.headers[.contentRange] = "bytes 300000-349999/\(Self.content.count)"
            head.headers[.contentLength] = "50000"
            return [.head(head), .bytes(Array(Self.content[300_000..<350_000]))]
        }
        #expect(try await run(transport).hops.count == 1)
        let outcome = try await run(transport)
        #expect(outcome.error == nil)
        #expect(outcome.redirects.map(\.to) == ["http://upstream.example/b", "http://upstream.example/b"])
        #expect(try await storage.bodies.read(record.id, maxBytes: .max) == Self.content)
    }

    @Test("leaves what can be resumed if no response comes")
    func noResponse() async throws {
        _ = try await run(ScriptedTransport(Self.steps))
        let unreachable = ScriptedTransport([.fail(TransferError(.cannotConnect, "no"))])
        #expect(try await run(unreachable).error?.code == .cannotConnect)
        #expect(await resumable() == 300_000)
    }

    @Test("leaves the content of another URL until new content replaces it")
    func otherURL() async throws {
        _ = try await run(ScriptedTransport(Self.steps))
        let unreachable = ScriptedTransport([.fail(TransferError(.cannotConnect, "no"))])
        #expect(try await run(unreachable, path: "other").error?.code == .cannotConnect)
        #expect(await resumable() == 300_000)
        let other = ScriptedTransport(Self.steps)
        #expect(try await run(other, path: "other").error?.code == .connectionLost)
        #expect(other.requests.map { $0.headers[.range] } == [nil])
        let continued = ScriptedTransport(Self.steps)
        #expect(try await run(continued, path: "other").error == nil)
        #expect(continued.requests.map { $0.headers[.range] } == ["bytes=300000-"])
        #expect(await resumable() == 0)
    }

    @Test("removes the content of another URL when it has succeeded with small content")
    func smallContent() async throws {
        _ = try await run(ScriptedTransport(Self.steps))
        let small = ScriptedTransport([.head(ResponseHead(status: 200)), .bytes([1, 2])])
        #expect(try await run(small, path: "other").error == nil)
        #expect(await resumable() == 0)
    }

    @Test("leaves nothing to resume without a strong validator, or of content that is too large")
    func notResumable() async throws {
        let weak = ScriptedTransport([
            .head(Self.head(200, tag: #"W/"v1""#)), .bytes(Array(Self.content[..<300_000])),
            .fail(TransferError(.connectionLost, "The connection was cut")),
        ])
        #expect(try await run(weak).error?.code == .connectionLost)
        #expect(await resumable() == 0)
        _ = try await run(ScriptedTransport(Self.steps))
        #expect(await resumable() == 300_000)
        #expect(try await run(ScriptedTransport(Self.steps), maxBytes: 350_000).error?.code == .bodyTooLarge)
        #expect(await resumable() == 0)
    }

    @Test("fails if what it has is complete but too large, and leaves nothing to resume")
    func completeTooLarge() async throws {
        let transport = ScriptedTransport { request in
            guard request.headers[.range] != nil else {
                var head = Self.head(200)
                head.headers[.contentLength] = nil
                return [
                    .head(head), .bytes(Self.content),
                    .fail(TransferError(.connectionLost, "The connection was cut")),
                ]
            }
            return [.head(ResponseHead(status: 416, headers: [.contentRange: "bytes */\(Self.content.count)"]))]
        }
        #expect(try await run(transport).error?.code == .connectionLost)
        #expect(await resumable() == 400_000)
        let outcome = try await run(transport, maxBytes: 350_000)
        #expect(outcome.error?.code == .bodyTooLarge)
        #expect(outcome.response?.body == nil)
        #expect(transport.requests.map { $0.headers[.range] } == [nil, "bytes=400000-"])
        #expect(await resumable() == 0)
    }

    @Test("fails if the server sends another part than was asked for, or ends each response early")
    func oddServers() async throws {
        _ = try await run(ScriptedTransport(Self.steps))
        let odd = ScriptedTransport([.head(Self.head(206, from: 200_000)), .bytes(Self.content)])
        #expect(try await run(odd).error?.code == .cannotParseResponse)
        let short = ScriptedTransport { request in
            let offset = request.headers[.range].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            var head = Self.head(request.headers[.range] == nil ? 200 : 206, from: offset)
            guard offset > 0 else {
                return [
                    .head(head), .bytes(Array(Self.content[..<1000])),
                    .fail(TransferError(.connectionLost, "The connection was cut")),
                ]
            }
            head.headers[.contentRange] = "bytes \(offset)-\(offset)/\(Self.content.count)"
            head.headers[.contentLength] = "1"
            return [.head(head), .bytes([Self.content[offset]])]
        }
        await storage.bodyDownloads.removePartialFile(of: record.id.description)
        _ = try await run(short)
        let ended = try await run(short)
        #expect(ended.error?.code == .connectionLost)
        #expect(ended.error?.isRetryable == true)
        #expect(await resumable() == 1100)
    }
}
