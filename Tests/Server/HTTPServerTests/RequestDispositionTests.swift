import ErrandHTTPServer
import HTTPTypes
import Testing

@Suite("The disposition of a request")
struct RequestDispositionTests {
    @Test("collects a body up to a limit, and refuses a longer one with a problem that states the limit")
    func bufferedAtMost() {
        let disposition = RequestDisposition.buffered(atMost: 10) { content in
            .immediate(ServerResponse(status: .ok, body: .bytes(content.reversed())))
        }
        guard case .buffered(let limitBytes, let tooLarge, let respond) = disposition else {
            Issue.record("The body is not collected")
            return
        }
        #expect(limitBytes == 10)
        guard case .immediate(let response) = respond([1, 2]), case .bytes(let content) = response.body else {
            Issue.record("There is no response at once")
            return
        }
        #expect(content == [2, 1])
        let refusal = tooLarge()
        #expect(refusal.status == .contentTooLarge)
        #expect(refusal.headers[.contentType] == "application/problem+json")
        guard case .bytes(let json) = refusal.body else {
            Issue.record("The refusal has no content")
            return
        }
        let text = String(decoding: json, as: UTF8.self)
        #expect(text.contains("/problems/content-too-large"))
        #expect(text.contains("longer than 10 bytes"))
    }
}
