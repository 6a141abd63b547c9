import Testing

@testable import ErrandTaskEvents

@Suite("EventStreamWriter")
struct EventStreamWriterTests {
    private func text(_ write: (inout EventStreamWriter) -> Void) -> String {
        var writer = EventStreamWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("writes the fields of an event and the empty line after it")
    func event() {
        #expect(
            text { $0.event("task.queued", id: 7, json: Array(#"{"a":1}"#.utf8)) }
                == "id: 7\nevent: task.queued\ndata: {\"a\":1}\n\n")
        #expect(
            text { $0.event("task.progress", json: Array("{}".utf8)) } == "event: task.progress\ndata: {}\n\n")
    }

    @Test("writes data as one line: line breaks between JSON tokens become spaces")
    func lines() {
        let pretty = "{\r\n  \"a\": \"b\\nc\",\r\"d\":\n1}"
        #expect(
            text { $0.event("x", id: 1, json: Array(pretty.utf8)) }
                == "id: 1\nevent: x\ndata: {    \"a\": \"b\\nc\", \"d\": 1}\n\n")
    }

    @Test("writes the reconnection time as part of an event, never as an empty event")
    func retryAndComment() {
        let stream = text {
            $0.retry(afterMilliseconds: 2000)
            $0.comment()
            $0.event("x", json: Array("1".utf8))
        }
        #expect(stream == "retry: 2000\n:\nevent: x\ndata: 1\n\n")
    }

    @Test("writes a position as an id without data, which no client dispatches")
    func position() {
        #expect(text { $0.position(9_007_199_254_740_991) } == "id: 9007199254740991\n\n")
    }
}
