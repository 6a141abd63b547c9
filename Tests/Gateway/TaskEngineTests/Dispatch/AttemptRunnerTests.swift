import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("AttemptRunner", .timeLimit(.hang))
struct AttemptRunnerTests {
    /// The result of a task whose upstream sends this content; the store has content of up to 64 bytes.
    private func result(of content: [UInt8], _ type: String) async throws -> TaskResult {
        let fixture = try DispatcherFixture { _ in
            [.head(ResponseHead(status: 200, headers: [.contentType: type])), .bytes(content)]
        }
        var result = TaskResult()
        try await fixture.open {
            let task = try await fixture.create("a", #","response_serializer":"auto""#)
            let finished = try #require(try await fixture.finished(task))
            #expect(finished.state == .succeeded)
            result = finished.result
        }
        return result
    }

    @Test("An object is stored up to the size of content in the store, whatever the size of the content")
    func small() async throws {
        let text = try await result(of: Array(repeating: UInt8(ascii: "a"), count: 62), "text/plain")
        #expect(text.object == .json(Array("\"\(String(repeating: "a", count: 62))\"".utf8)))
        let image: [UInt8] = Array("GIF89a".utf8) + [2, 0, 3, 0] + Array(repeating: 0, count: 90)
        let header = try await result(of: image, "image/gif")
        #expect(header.body?.location == .file)
        #expect(header.object == .json(Array(#"{"format":"gif","width":2,"height":3}"#.utf8)))
    }

    @Test("A larger object is omitted, also if its content is in the store")
    func large() async throws {
        // Each quotation mark has two bytes in JSON.
        let quotes = Array(repeating: UInt8(ascii: "\""), count: 40)
        let inline = try await result(of: quotes, "text/plain")
        #expect(inline.body?.location == .inline(quotes))
        #expect(inline.object == .omitted)
        let file = try await result(of: Array(repeating: UInt8(ascii: "a"), count: 100), "text/plain")
        #expect(file.body?.location == .file)
        #expect(file.object == .omitted)
    }

    @Test("A text above 8 MiB is omitted too, although it is not read")
    func largest() async throws {
        var configuration = try DispatcherFixture.configuration()
        configuration.response.disposition.maxBodyBytes = 16 << 20
        let head = ResponseHead(status: 200, headers: [.contentType: "text/plain"])
        let piece = ScriptedTransport.Step.bytes(Array(repeating: UInt8(ascii: "a"), count: 1 << 20))
        let steps = [ScriptedTransport.Step.head(head)] + Array(repeating: piece, count: 9)
        let fixture = try DispatcherFixture(configuration: configuration) { _ in steps }
        try await fixture.open {
            let task = try await fixture.create("a", #","response_serializer":"text""#)
            let finished = try #require(try await fixture.finished(task))
            #expect(finished.state == .succeeded)
            #expect(finished.result.body?.size == 9 << 20)
            #expect(finished.result.object == .omitted)
        }
    }
}
