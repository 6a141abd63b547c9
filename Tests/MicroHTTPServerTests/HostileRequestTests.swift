import HTTPServer
import HTTPTypes
import Locking
import MicroHTTPServer
import Support
import Testing

// One after the other: a server for each of the many requests at once takes too many descriptors.
@Suite("Hostile requests", .timeLimit(.minutes(2)), .serialized)
struct HostileRequestTests {
    /// What got through.
    private final class Recorder: HTTPHandler {
        struct Seen: Sendable {
            var heads: [String] = []
            var contents: [String] = []
        }

        let seen = Mutex(Seen())

        func admit(_ head: RequestHead) -> Admission {
            seen.withLock { $0.heads.append(head.target.raw) }
            return .buffered(limitBytes: 1000, tooLarge: ServerResponse(status: .contentTooLarge)) { [self] content in
                let text = String(decoding: content, as: UTF8.self)
                seen.withLock { $0.contents.append(text) }
                return .now(.text("\(head.target.raw) \(text)"))
            }
        }
    }

    /// What libmicrohttpd answers by itself; it writes the status line twice.
    private static let libraryAnswers: Set<Substring> = ["HTTP/1.1 400", "HTTP/1.1 413", "HTTP/1.1 505"]

    private static let hidden = Array("GET /hidden HTTP/1.1\r\nHost: test\r\n\r\n".utf8)

    @Test(
        "a request ends where it says, or the connection does, and what follows is never a part of it",
        arguments: HostileRequest.all)
    func verdicts(request: HostileRequest) async throws {
        let recorder = Recorder()
        try await TestServer.with(handler: recorder) { server in
            let client = try server.client()
            try await client.send(request.raw + Self.hidden)
            client.finishSending()
            switch request.verdict {
            case .refused(let status):
                let answer = try await client.answer()
                #expect(answer.status == status)
                #expect(answer["Content-Type"] == "application/problem+json")
                #expect(answer["Connection"] == "close")
                #expect(try await client.untilClosedOrReset().isEmpty)
            case .cutOff:
                let text = String(decoding: try await client.untilClosedOrReset(), as: UTF8.self)
                let statuses = text.split(separator: "\r\n").filter { $0.hasPrefix("HTTP/1.1 ") }
                #expect(Set(statuses.map { $0.prefix(12) }).isSubset(of: Self.libraryAnswers))
                #expect(!text.contains("hidden"))
            case .accepted(let content):
                #expect(try await client.answer().text == "/ \(content)")
                #expect(try await client.answer().text == "/hidden ")
                #expect(try await client.untilClosedOrReset().isEmpty)
            }
        }
        let seen = recorder.seen.withLock { $0 }
        switch request.verdict {
        case .refused: #expect(seen.heads.isEmpty)
        case .cutOff: #expect(seen.contents.isEmpty && !seen.heads.contains("/hidden"))
        case .accepted(let content):
            #expect(seen.heads == ["/", "/hidden"])
            #expect(seen.contents == [content, ""])
        }
    }

    @Test("whatever some clients send, each of the others gets its own answers")
    func otherClients() async throws {
        try await TestServer.with(handler: Recorder()) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        let client = try server.client()
                        for round in 0..<100 {
                            let path = "/\(number)-\(round)"
                            #expect(try await client.exchange(post(path, "\(round)")).text == "\(path) \(round)")
                        }
                    }
                }
                for number in 0..<4 {
                    group.addTask {
                        for (index, request) in HostileRequest.all.enumerated() where index % 4 == number {
                            let client = try server.client()
                            try await client.send(request.raw + Self.hidden)
                            client.finishSending()
                            let text = String(decoding: try await client.untilClosedOrReset(), as: UTF8.self)
                            #expect(!text.contains("/0-") && !text.contains("/3-"), "\(request.name)")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(
        "the target reaches the handler as it was sent",
        arguments: [
            "/a%2Fb//c/../d?x=%26&y", "/%E2%82%AC", "/?", "//", "/a;b=1,2/!$&'()*+=:@~-._|{}[]^`\"<>\\",
        ])
    func rawTarget(target: String) async throws {
        let recorder = Recorder()
        try await TestServer.with(handler: recorder) { server in
            let answer = try await server.answer(get(target))
            #expect(answer.status == 200)
        }
        #expect(recorder.seen.withLock { $0.heads } == [target])
    }

    @Test("any number of pipelined requests, with and without contents, are answered in their order")
    func pipelining() async throws {
        try await TestServer.with(handler: Recorder()) { server in
            let client = try server.client()
            let requests = (0..<200).map { number in
                switch number % 3 {
                case 0: get("/\(number)")
                case 1: post("/\(number)", "content of \(number)")
                default: postChunked("/\(number)") + "5\r\nchunk\r\n0\r\n\r\n"
                }
            }
            try await client.send(requests.joined())
            for number in 0..<200 {
                let content = ["", "content of \(number)", "chunk"][number % 3]
                #expect(try await client.answer().text == "/\(number) \(content)")
            }
        }
    }
}
