import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import Foundation
import HTTPTypes
import Testing

@testable import ErrandDownloads

@Suite("An attempt at a download into a folder", .timeLimit(.hang))
struct ConfinedDownloadTests {
    private static let content = Array("0123456789".utf8)
    private let folder: TemporaryFolder
    private let downloads: DownloadFolder

    /// A sink in memory that tells of its first content.
    private final class TellingSink: BodySink {
        let first = Signal<Int>()
        private let memory = MemorySink()

        func begin(resume: @escaping @Sendable () -> Void) { memory.begin(resume: resume) }

        func append(_ bytes: RawSpan) -> ReceiveDecision {
            first.send(bytes.byteCount)
            return memory.append(bytes)
        }

        func finish() async throws(TransferError) -> ReceivedBody { try await memory.finish() }
        func discard() async { await memory.discard() }
    }

    init() throws {
        folder = try TemporaryFolder()
        downloads = DownloadFolder(path: folder["downloads"])
    }

    /// Runs an attempt, whose file has the name that the head suggests.
    private func run(
        _ transport: ScriptedTransport, below downloads: DownloadFolder? = nil,
        others sink: any BodySink = MemorySink(), keepsWhenFull: Bool = false,
        onConflict: DownloadConflict = .fail, maxBytes: Int64? = nil
    ) async throws -> (outcome: SessionOutcome, file: ConfinedFile?) {
        let configuration = SessionConfiguration(name: "up", baseURL: try HTTPURL("http://files.test/"))
        let session = Session(configuration, transport: transport)
        var request = TaskRequest(path: "file")
        let rules = request.becomeDownload(under: configuration.response)
        let download = ConfinedDownload(
            "a", continuing: nil, below: downloads ?? self.downloads,
            options: DownloadOptions(onConflict: onConflict, createsFolders: true, maxBytes: maxBytes), rules: rules,
            others: sink, keepsWhenFull: keepsWhenFull
        ) { head, url in
            let field = head.headers[.contentDisposition]
            return [SuggestedFileNames(contentDisposition: field, url: url).name()].compactMap(\.self)
        }
        return await download.run(try session.prepare(request), in: session, control: AttemptControl())
    }

    /// Sends the first bytes with a name and then fails; later nothing but the rest, or that there is none.
    private static func cut(after count: Int) -> ScriptedTransport {
        ScriptedTransport { request in
            guard request.headers[.range] != nil else {
                let fields: HTTPFields = [
                    .eTag: #""v1""#, .contentLength: "10", .contentDisposition: #"attachment; filename="a.bin""#,
                ]
                return [
                    .head(ResponseHead(status: 200, headers: fields)), .bytes(Array(content[..<count])),
                    .fail(TransferError(.connectionLost, "The connection was cut")),
                ]
            }
            guard count < content.count else {
                return [.head(ResponseHead(status: 416, headers: [.contentRange: "bytes */10"])), .bytes([1, 2])]
            }
            let fields: HTTPFields = [.eTag: #""v1""#, .contentRange: "bytes \(count)-9/10"]
            return [.head(ResponseHead(status: 206, headers: fields)), .bytes(Array(content[count...]))]
        }
    }

    @Test("passes on the content of an unsuccessful response as it arrives")
    func others() async throws {
        let gate = ScriptedTransport.Gate()
        let content = [UInt8].noise(3 << 20)
        let transport = ScriptedTransport([
            .head(ResponseHead(status: 404)), .bytes(content), .wait(gate), .bytes([1]),
        ])
        let sink = TellingSink()
        async let end = run(transport, others: sink)
        #expect(await sink.first.wait() == content.count)
        gate.open()
        let (outcome, file) = try await end
        #expect(outcome.error?.code == .unacceptableStatus)
        #expect(file == nil)
        guard case .bytes(let bytes)? = outcome.response?.body?.content else {
            Issue.record("the response has the content of the sink")
            return
        }
        #expect(bytes == content + [1])
        #expect(try folder.files().isEmpty)
    }

    @Test("is named by the response with which its content began, if the last one (206, 416) has no name")
    func resumedName() async throws {
        for count in [4, 10] {
            let transport = Self.cut(after: count)
            #expect(try await run(transport).outcome.error?.code == .connectionLost)
            let (outcome, file) = try await run(transport)
            #expect(outcome.error == nil)
            #expect(outcome.response?.head.status == (count == 4 ? 206 : 416))
            #expect(file == ConfinedFile(path: "a.bin", size: 10))
            #expect(try folder.files() == ["downloads/a.bin"])
            let path = folder["downloads/a.bin"]
            #expect(FileManager.default.contents(atPath: path) == Data(Self.content))
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test("has no content of the response that finds its file complete, if that cannot be moved")
    func completeButExists() async throws {
        let transport = Self.cut(after: 10)
        #expect(try await run(transport).outcome.error?.code == .connectionLost)
        try folder.write("old", to: "downloads/a.bin")
        let (outcome, file) = try await run(transport)
        #expect(outcome.error?.code == .exists)
        #expect(outcome.response?.head.status == 416)
        #expect(outcome.response?.body == nil)
        #expect(file == nil)
        #expect(await downloads.resumableBytes(of: "a") == 10)
        #expect(FileManager.default.contents(atPath: folder["downloads/a.bin"]) == Data("old".utf8))
    }

    @Test(
        "fails if what it resumes is larger than its limit, also if nothing is left of it, and keeps nothing",
        arguments: [4, 10])
    func resumedTooLarge(count: Int) async throws {
        let transport = Self.cut(after: count)
        #expect(try await run(transport).outcome.error?.code == .connectionLost)
        let (outcome, file) = try await run(transport, maxBytes: 5)
        #expect(outcome.error?.code == .bodyTooLarge)
        #expect(outcome.response?.head.status == (count == 4 ? 206 : 416))
        #expect(outcome.response?.body == nil)
        #expect(file == nil)
        #expect(await downloads.resumableBytes(of: "a") == 0)
        #expect(try folder.files().isEmpty)
    }

    @Test("never changes the complete file of a process that has ended before it had removed the partial name")
    func deliveredFile() async throws {
        #expect(try await run(Self.cut(after: 4)).outcome.error?.code == .connectionLost)
        let path = folder["downloads/a.bin"]
        let partial = folder["downloads/\(DownloadFolder.partialsName)/a.part"]
        try FileManager.default.linkItem(atPath: partial, toPath: path)
        #expect(await downloads.resumableBytes(of: "a") == 0)
        let fields: HTTPFields = [.eTag: #""v2""#, .contentDisposition: #"attachment; filename="a.bin""#]
        let other = ScriptedTransport([
            .head(ResponseHead(status: 200, headers: fields)), .bytes(Array("other".utf8)),
            .fail(TransferError(.connectionLost, "The connection was cut")),
        ])
        #expect(try await run(other, onConflict: .rename).outcome.error?.code == .connectionLost)
        #expect(other.requests.map { $0.headers[.range] } == [nil])
        #expect(FileManager.default.contents(atPath: path) == Data(Self.content[..<4]))
        #expect(FileManager.default.contents(atPath: partial) == Data("other".utf8))
    }

    @Test("is named by the URL after redirects, if the head suggests no name")
    func redirectedName() async throws {
        let transport = ScriptedTransport { request in
            guard request.url.path == "/file" else { return [.head(ResponseHead(status: 200)), .bytes(Self.content)] }
            return [.head(ResponseHead(status: 302, headers: [.location: "/releases/tool.zip?signature=1"]))]
        }
        let (outcome, file) = try await run(transport)
        #expect(outcome.error == nil)
        #expect(file == ConfinedFile(path: "tool.zip", size: 10))
    }

    @Test(
        "shows no path of the process when its disk is full, and keeps what it has if other attempts go on",
        arguments: [true, false])
    func fullDisk(keepsWhenFull: Bool) async throws {
        let transport = Self.cut(after: 4)
        #expect(try await run(transport).outcome.error?.code == .connectionLost)
        let full = DownloadFolder(path: downloads.path, minFreeBytes: .max)
        let error = try await run(transport, below: full, keepsWhenFull: keepsWhenFull).outcome.error
        #expect(error?.code == .diskFull)
        #expect(
            error?.message == "The disk would have less free space than files.min_free: .downloads.part/a.part")
        #expect(await downloads.resumableBytes(of: "a") == (keepsWhenFull ? 4 : 0))
    }
}
