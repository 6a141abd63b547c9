import ErrandBodyFiles
import ErrandDownloads
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandTaskEngine

@Suite("The state of a download without a destination", .timeLimit(.hang))
struct BodyDownloadStateTests {
    private final class Place: KeptBodyPlace {
        private let path: String

        init(in folder: TemporaryFolder) { path = folder["part"] }

        func prepare() -> String { path }
    }

    /// Returns kept content.
    private static func kept(_ count: Int) async throws -> KeptBody {
        let folder = try TemporaryFolder()
        let files = try BodyFiles(directory: folder.path, inlineLimitBytes: 0, durability: .normal)
        let id = TaskID.first(at: Timestamp(milliseconds: 1_795_000_000_000))
        let spool = files.spool(for: id, maxBytes: nil, keptAt: Place(in: folder), resume: {})
        _ = spool.append(bytes: [UInt8](repeating: 1, count: count))
        return try #require(await spool.keep())
    }

    private static let whole = ResponseHead(
        status: 200, headers: [.eTag: #""v1""#, .contentLength: "10", .contentType: "text/csv"])

    private static func part(from offset: Int, of total: Int = 10) -> ResponseHead {
        ResponseHead(status: 206, headers: [.contentRange: "bytes \(offset)-\(total - 1)/\(total)"])
    }

    /// Returns a state that has received four bytes of ten, and asks for the rest.
    private static func resumed() async throws -> BodyDownloadState {
        var state = BodyDownloadState()
        #expect(state.ask() == nil)
        #expect(state.begin(whole, isAcceptable: true, maxBytes: .max).action == .write(from: 0))
        state.machine.received(bytes: 4)
        state.keep(try await kept(4))
        let asked = state.ask()
        #expect(asked?.offset == 4)
        #expect(asked?.validator == #""v1""#)
        return state
    }

    @Test("continues what is kept, with the type of the first response")
    func continued() async throws {
        var state = try await Self.resumed()
        let (action, kept) = state.begin(Self.part(from: 4), isAcceptable: true, maxBytes: 10)
        #expect(action == .write(from: 4))
        #expect(kept?.size == 4)
        #expect(state.offset == 4)
        #expect(state.contentType == "text/csv")
        state.machine.received(bytes: 6)
        #expect(state.machine.ended() == .complete)
    }

    @Test("asks for the whole content if what was received is lost")
    func lost() async throws {
        var state = try await Self.resumed()
        state.keep(nil)
        #expect(state.ask() == nil)
        #expect(state.resumeData(url: "http://e.com/", bytes: 0) == nil)
    }

    @Test("does not append the rest to anything but the content before it")
    func mismatch() async throws {
        var state = try await Self.resumed()
        // More was received before the connection was lost and the response repeated.
        _ = state.begin(Self.part(from: 4), isAcceptable: true, maxBytes: .max)
        state.machine.received(bytes: 2)
        state.keep(try await Self.kept(6))
        let (action, kept) = state.begin(Self.part(from: 4), isAcceptable: true, maxBytes: .max)
        #expect(action == .startAgain)
        #expect(kept == nil)
        guard case .again = state.conclusion else {
            Issue.record("The whole content is requested again, but the conclusion is \(state.conclusion)")
            return
        }
        #expect(state.ask() == nil)
    }

    @Test("refuses the rest of content that is too large, before it is received")
    func tooLarge() async throws {
        var state = try await Self.resumed()
        let (action, _) = state.begin(Self.part(from: 4), isAcceptable: true, maxBytes: 9)
        guard case .refuse = action, case .failed(let error) = state.conclusion else {
            Issue.record("The content is refused, but the action is \(action)")
            return
        }
        #expect(error.code == .bodyTooLarge)
    }

    private static let nothingLeft = ResponseHead(
        status: 416, headers: [.contentRange: "bytes */4", .eTag: #""v1""#])

    /// Returns a state that has received four bytes of content of unknown length, and asks for the rest.
    private static func endless() async throws -> BodyDownloadState {
        var state = BodyDownloadState()
        _ = state.ask()
        let head = ResponseHead(status: 200, headers: [.eTag: #""v1""#])
        _ = state.begin(head, isAcceptable: true, maxBytes: .max)
        state.machine.received(bytes: 4)
        state.keep(try await kept(4))
        #expect(state.takeComplete() == nil)
        #expect(state.ask()?.offset == 4)
        return state
    }

    @Test("is complete if the server states that nothing is left")
    func complete() async throws {
        var state = try await Self.endless()
        #expect(state.begin(Self.nothingLeft, isAcceptable: false, maxBytes: 4).action == .keepInMemory)
        #expect(state.takeComplete()?.size == 4)
    }

    @Test("refuses content that is too large, also if the server states that nothing is left of it")
    func completeTooLarge() async throws {
        var state = try await Self.endless()
        let (action, _) = state.begin(Self.nothingLeft, isAcceptable: false, maxBytes: 3)
        guard case .refuse = action, case .failed(let error) = state.conclusion else {
            Issue.record("The content is refused, but the action is \(action)")
            return
        }
        #expect(error.code == .bodyTooLarge)
    }
}
