import ErrandHTTPServer
import FoundationEssentials
import HTTPTypes

extension RequestHead {
    /// Returns a head for tests, with field lines of the form `Name: value`.
    static func sample(
        _ method: HTTPRequest.Method = .get, _ target: String = "/v1/tasks", _ lines: String...
    ) throws -> RequestHead {
        try sample(method, target, lines: lines)
    }

    /// Returns a head for tests, with field lines of the form `Name: value`.
    static func sample(_ method: HTTPRequest.Method, _ target: String, lines: [String]) throws -> RequestHead {
        var headers = HTTPFields()
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            if let name = HTTPField.Name(String(parts[0])), parts.count == 2 {
                headers.append(HTTPField(name: name, value: parts[1].trimmingPrefix(" ").description))
            }
        }
        return RequestHead(method: method, target: try RequestTarget(target), headers: headers)
    }
}

/// A handler that accepts every request, and responds with the request's own header fields.
struct OpenHandler: HTTPHandler {
    func admit(_ head: RequestHead, route: inout String?) -> RequestDisposition {
        .immediate(ServerResponse(status: .ok, headers: head.headers))
    }
}

extension HTTPHandler {
    /// Returns the immediate response to a head; `nil` if it is deferred.
    func immediateResponse(to head: RequestHead) -> ServerResponse? {
        if case .immediate(let response) = admit(head) { response } else { nil }
    }

    /// Returns the response to a request with this content.
    func response(to head: RequestHead, content: String? = nil) async throws -> ServerResponse {
        await admit(head).response(to: Array((content ?? "").utf8))
    }
}

extension RequestDisposition {
    /// Returns the response to a request with this content.
    func response(to content: [UInt8]) async -> ServerResponse {
        switch self {
        case .changed(let inner, let change):
            var response = await inner.response(to: content)
            if !change.isObserver || !isTooLarge(content) { change.apply(&response) }
            return response
        case .immediate(let response):
            return response
        case .deferred(let respond):
            return await respond()
        case .buffered(_, let tooLarge, let respond):
            guard !isTooLarge(content) else { return tooLarge() }
            switch respond(content) {
            case .immediate(let response): return response
            case .deferred(let respond): return await respond()
            }
        case .streamed(let respond):
            return await respond(RequestBodyStream(content))
        }
    }

    /// The disposition without its changes.
    var unchanged: RequestDisposition {
        if case .changed(let inner, _) = self { inner.unchanged } else { self }
    }

    private func isTooLarge(_ content: [UInt8]) -> Bool {
        if case .buffered(let limitBytes, _, _) = unchanged { content.count > limitBytes } else { false }
    }
}

extension ServerResponse {
    /// The content, if it is in memory.
    var text: String {
        switch body {
        case .bytes(let bytes), .shortenable(let bytes, _): String(decoding: bytes, as: UTF8.self)
        case .empty, .file, .stream: ""
        }
    }

    /// Returns the document in a response with the expected status.
    func document<Document: Decodable>(
        _ type: Document.Type, status expected: HTTPResponse.Status = .ok
    ) throws -> Document {
        guard status == expected else { throw GatewayFixture.Unexpected(text: "\(status) \(text)") }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(text.utf8))
    }
}
