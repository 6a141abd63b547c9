import ErrandRequestSerialization
import ErrandResponseSerialization
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandSessionCore

/// Behavior of AFNetworking that surprises its users, and the behavior of Errand.
@Suite("Quirks of AFNetworking", .timeLimit(.hang))
struct QuirkSemanticsTests {
    @Test("AFNetworking drops the object if there is an error: here both are returned, with the content")
    func objectBesideError() async throws {
        let outcome = try await Example().outcome([
            .head(422, [.contentType: "application/json"]), .text(#"{"errors":["name"]}"#),
        ])
        #expect(outcome.numbers == [-1011])
        #expect(outcome.object == #"{"errors":["name"]}"#)
        #expect(outcome.response?.body?.size == 19)
    }

    @Test("AFNetworking looks up the serializer when the response comes: here it is bound with the request")
    func boundSerializer() async throws {
        var example = try Example { $0.response.serializer = .text }
        let steps: [ScriptedTransport.Step] = [.head(200, [.contentType: "text/plain"]), .text("x")]
        let session = example.session(over: ScriptedTransport(steps))
        let prepared = try session.prepare(TaskRequest())
        example.configuration.response.serializer = .json
        let later = example.session(over: ScriptedTransport(steps))
        #expect(await session.run(prepared, sink: MemorySink()).object == #""x""#)
        #expect(await later.run(prepared, sink: MemorySink()).object == #""x""#)
    }

    @Test("AFNetworking's copies of a serializer lose options: here a configuration is a value, equal to its copy")
    func copies() throws {
        let original = try Example {
            $0.timeouts = TransferTimeouts(total: .seconds(1))
            $0.request.methodsWithParametersInURL = [.post]
            $0.request.options.parameters.arrays = .indices
        }.configuration
        var copy = original
        #expect(copy == original)
        copy.request.options.parameters.arrays = .comma
        #expect(original.request.options.parameters.arrays == .indices && copy != original)
    }

    @Test(
        "AFNetworking appends the query after a fragment, and & to a lone ?: here it is in its place",
        arguments: [
            ("x#top", "http://e.com/x?a=1"), ("x?y#top", "http://e.com/x?y&a=1"), ("x?", "http://e.com/x?a=1"),
            ("?", "http://e.com/?a=1"), ("x?y&", "http://e.com/x?y&a=1"), ("x#a?b", "http://e.com/x?a=1"),
        ])
    func query(path: String, url: String) throws {
        #expect(try Example().request(TaskRequest("GET", path, json: #"{"a":1}"#)).url.string == url)
    }

    @Test(
        "AFNetworking writes invalid content for parameters that are not an object: here they are rejected",
        arguments: ["[1]", "[]", #""a""#, "1", "true", "null"],
        [("GET", .json), ("POST", .form), ("POST", .multipart)] as [(String, RequestSerializerKind)])
    func parameters(json: String, place: (method: String, serializer: RequestSerializerKind)) throws {
        let example = try Example { $0.request.serializer = place.serializer }
        let problems = example.problems(TaskRequest(place.method, json: json))
        #expect(problems.map(\.pointer) == [["parameters"]])
        #expect(
            problems.first?.detail.hasPrefix("Parameters in a URL, a form or a multipart body must be an object")
                == true)
    }

    @Test("AFNetworking lets a name break out of its part: here it is escaped")
    func partNames() throws {
        let part = TaskPart("a\"; filename=\"b", .text("x"), filename: "c\r\nContent-Type: d")
        let request = try Example().request(TaskRequest(body: .parts([part])))
        let head = #"form-data; name="a%22; filename=%22b"; filename="c%0D%0AContent-Type: d""#
        #expect(request.content?.contains(head) == true)
    }

    @Test("AFNetworking loses the throttle when content is resent: here it is retained")
    func throttleOfReplay() async throws {
        let example = try Example {
            $0.request.serializer = .multipart
            $0.request.options.throttle = BandwidthThrottle(packetBytes: 8, delay: .zero)
            $0.response.serializer = .raw
        }
        let redirect = ScriptedTransport.Step.head(307, [.location: "/1"])
        let (outcome, requests) = try await example.exchange(
            TaskRequest("POST", json: #"{"a":1}"#), responses: [[redirect], [.head(204)]])
        #expect(outcome.error == nil)
        let sources = requests.map {
            if case .source(let source as PacedSource) = $0.body { source.source is ThrottledSource } else { false }
        }
        #expect(sources == [true, true])
    }

    @Test(
        "AFNetworking fails for an empty property list: here empty content is no object for every serializer",
        arguments: ResponseSerializerKind.allCases)
    func noBytes(kind: ResponseSerializerKind) async throws {
        let example = try Example { $0.response.serializer = ResponseSerializerChoice(kind) }
        let outcome = try await example.outcome([.head(200, [.contentType: "application/x-plist"])])
        #expect(outcome.error == nil && outcome.object == nil)
    }

    @Test("as with AFNetworking, empty content of a bad type is a success")
    func noBytesOfBadType() async throws {
        let outcome = try await Example().outcome([.head(200, [.contentType: "text/html"])])
        #expect(outcome.error == nil && outcome.object == nil && outcome.response?.head.status == 200)
    }

    @Test(
        "AFNetworking lets a header remove the boundary of a form: here it is rejected",
        arguments: [TaskRequest("POST", json: #"{"a":1}"#), TaskRequest(body: .parts([TaskPart("a", .text("1"))]))])
    func boundary(task: TaskRequest) throws {
        let example = try Example { $0.request.serializer = .multipart }
        var task = task
        task.headers = [TaskHeader("content-type", "multipart/form-data")]
        #expect(example.problems(task).map(\.pointer) == [["headers", "content-type"]])
    }

    @Test("a session's own Content-Type does not remove the boundary either")
    func boundaryOfSession() throws {
        let example = try Example {
            $0.request.serializer = .multipart
            $0.headers[.contentType] = "multipart/form-data"
        }
        let request = try example.request(TaskRequest("POST", json: #"{"a":1}"#))
        #expect(request.headers[values: .contentType].count == 1)
        #expect(request.headers[.contentType]?.hasPrefix("multipart/form-data; boundary=Boundary+") == true)
    }

    @Test(
        "AFNetworking accepts any bytes as an image: here they are -1016 of the response",
        arguments: [[0x3F], Array("GIF89a".utf8), [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]] as [[UInt8]])
    func noImage(content: [UInt8]) async throws {
        let example = try Example { $0.response.serializer = .image }
        let outcome = try await example.outcome([.head(200, [.contentType: "image/png"]), .bytes(content)])
        #expect(outcome.numbers == [-1016] && outcome.error?.domain == .response)
        #expect(outcome.response?.body?.size == Int64(content.count))
    }
}
