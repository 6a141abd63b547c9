import ErrandEcho
import ErrandHTTPServer
import HTTPTypes

/// A client that sends requests to an ``EchoHandler`` without a socket, like the server.
struct EchoClient {
    private let service: EchoHandler

    init(clock: some Clock<Duration> = ContinuousClock()) throws {
        service = try EchoHandler(clock: clock)
    }

    /// A response as received by a client.
    struct Response {
        let status: Int
        let headers: HTTPFields
        /// The announced length, `nil` if there is none.
        let length: Int64?
        /// The content, in the parts received.
        let parts: [[UInt8]]
        /// True if the content ended before its end.
        var isCut = false

        var content: [UInt8] { Array(parts.joined()) }
        var text: String { String(decoding: content, as: UTF8.self) }
    }

    /// Returns the disposition of a request.
    func disposition(
        _ method: HTTPRequest.Method, _ target: String, headers: HTTPFields = [:]
    ) throws -> RequestDisposition {
        service.admit(RequestHead(method: method, target: try RequestTarget(target), headers: headers))
    }

    /// Returns the response to a request with its content; omits the content for HEAD, like the server.
    func ask(
        _ method: HTTPRequest.Method = .get, _ target: String, headers: HTTPFields = [:], content: [UInt8] = []
    ) async throws -> Response {
        var headers = headers
        if !content.isEmpty { headers[.contentLength] = String(content.count) }
        let response = try await response(to: try disposition(method, target, headers: headers), content: content)
        var length: Int64?
        var parts: [[UInt8]] = []
        var isCut = false
        switch response.body {
        case .empty:
            length = 0
        case .bytes(let bytes), .shortenable(let bytes, _):
            length = Int64(bytes.count)
            parts = [bytes]
        case .file(let region):
            length = region.length
        case .stream(let stream):
            length = stream.length
            do {
                while method != .head, let part = try await stream.next() { parts.append(part) }
            } catch is CancellationError {
                isCut = true
            }
        }
        if method == .head { parts = [] }
        return Response(
            status: response.status.code, headers: response.headers, length: length, parts: parts, isCut: isCut)
    }

    private func response(to disposition: RequestDisposition, content: [UInt8]) async throws -> ServerResponse {
        switch disposition {
        case .immediate(let response):
            return response
        case .deferred(let respond):
            return await respond()
        case .buffered(let limit, let tooLarge, let respond):
            guard content.count <= limit else { return tooLarge() }
            switch respond(content) {
            case .immediate(let response): return response
            case .deferred(let respond): return await respond()
            }
        case .streamed(let respond):
            return await respond(RequestBodyStream(content))
        case .changed(let inner, let change):
            var response = try await response(to: inner, content: content)
            change.apply(&response)
            return response
        }
    }
}
