import Echo
import HTTPServer
import HTTPTypes

/// Asks an ``EchoHandler`` without a socket, as the server would.
struct EchoClient {
    private let service: EchoHandler

    init(clock: some Clock<Duration> = ContinuousClock()) throws {
        service = try EchoHandler(clock: clock)
    }

    /// What a client gets of an answer.
    struct Answer {
        let status: Int
        let headers: HTTPFields
        /// The length that the answer announces, `nil` when it does not.
        let length: Int64?
        /// The content, in the parts it came in.
        let parts: [[UInt8]]

        var content: [UInt8] { Array(parts.joined()) }
        var text: String { String(decoding: content, as: UTF8.self) }
    }

    /// The admission of a request.
    func admission(
        _ method: HTTPRequest.Method, _ target: String, headers: HTTPFields = [:]
    ) throws -> Admission {
        service.admit(RequestHead(method: method, target: try RequestTarget(target), headers: headers))
    }

    /// The answer to a request, content and all; the content of an answer to HEAD is left out, as the server does.
    func ask(
        _ method: HTTPRequest.Method = .get, _ target: String, headers: HTTPFields = [:], content: [UInt8] = []
    ) async throws -> Answer {
        var headers = headers
        if !content.isEmpty { headers[.contentLength] = String(content.count) }
        let response = try await response(to: try admission(method, target, headers: headers), content: content)
        var length: Int64?
        var parts: [[UInt8]] = []
        switch response.body {
        case .empty:
            length = 0
        case .bytes(let bytes):
            length = Int64(bytes.count)
            parts = [bytes]
        case .file(let region):
            length = region.length
        case .stream(let stream):
            length = stream.length
            while method != .head, let part = try await stream.next() { parts.append(part) }
        }
        if method == .head { parts = [] }
        return Answer(status: response.status.code, headers: response.headers, length: length, parts: parts)
    }

    private func response(to admission: Admission, content: [UInt8]) async throws -> ServerResponse {
        switch admission {
        case .answer(let response):
            return response
        case .bodyless(let answer):
            return await answer()
        case .buffered(let limit, let tooLarge, let answer):
            guard content.count <= limit else { return tooLarge }
            switch answer(content) {
            case .now(let response): return response
            case .later(let answer): return await answer()
            }
        case .streamed(let answer):
            return await answer(RequestBodyStream(content))
        }
    }
}
