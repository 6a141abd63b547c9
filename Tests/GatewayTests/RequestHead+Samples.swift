import HTTPServer
import HTTPTypes

extension RequestHead {
    /// A head for tests: the field lines are `Name: value`.
    static func sample(
        _ method: HTTPRequest.Method = .get, _ target: String = "/v1/tasks", _ lines: String...
    ) throws -> RequestHead {
        try sample(method, target, lines: lines)
    }

    /// A head for tests: the field lines are `Name: value`.
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

/// Lets everything in, and answers it with the request's own headers.
struct OpenHandler: HTTPHandler {
    func admit(_ head: RequestHead) -> HTTPServer.Admission {
        .answer(ServerResponse(status: .ok, headers: head.headers))
    }
}

extension HTTPHandler {
    /// The answer to a head that is answered at once; `nil` for one that is not.
    func answerAtOnce(_ head: RequestHead) -> ServerResponse? {
        if case .answer(let response) = admit(head) { response } else { nil }
    }
}

extension ServerResponse {
    /// The content, where it is in memory.
    var text: String {
        if case .bytes(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { "" }
    }
}
