import ErrandHTTPServer
import HTTPTypes
import Testing

@testable import ErrandEcho

@Suite("/upload")
struct UploadEndpointTests {
    @Test("returns the size and SHA-256 of the content", arguments: [HTTPRequest.Method.post, .put, .patch])
    func digest(method: HTTPRequest.Method) async throws {
        // The vector of FIPS 180-4 for "abc".
        let response = try await EchoClient().ask(method, "/upload", content: Array("abc".utf8))
        #expect(
            response.text
                == #"{"size":3,"sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}"#)
    }

    @Test("accepts empty content")
    func empty() async throws {
        let response = try await EchoClient().ask(.post, "/upload")
        #expect(
            response.text
                == #"{"size":0,"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}"#)
    }

    @Test("combines content received in parts")
    func parts() async throws {
        let (stream, source) = RequestBodyStream.makeStream(bufferLimitBytes: 1, onDemand: {})
        guard case .streamed(let respond) = try EchoClient().disposition(.put, "/upload") else {
            Issue.record("the content is not streamed")
            return
        }
        let answered = Task { await respond(stream) }
        for part in ["a", "b", "c"] {
            _ = source.offer(Array(part.utf8))
        }
        source.finish()
        guard case .bytes(let bytes) = await answered.value.body else {
            Issue.record("the response is not in memory")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix(#"{"size":3,"sha256":"ba7816bf"#))
    }

    @Test(
        "reports the reason of incomplete content",
        arguments: [
            (RequestBodyError.clientLeft, 400), (.canceled, 400), (.tooLarge(limitBytes: 5), 413), (.tooSlow, 408),
            (.serverStopping, 503),
        ])
    func failure(error: RequestBodyError, status: Int) async throws {
        let (stream, source) = RequestBodyStream.makeStream(bufferLimitBytes: 1, onDemand: {})
        source.fail(error)
        guard case .streamed(let respond) = try EchoClient().disposition(.put, "/upload") else {
            Issue.record("the content is not streamed")
            return
        }
        #expect(await respond(stream).status.code == status)
    }
}
