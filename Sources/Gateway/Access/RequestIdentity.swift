import HTTPServer
import HTTPTypes
import TaskStore

/// Gives each request an id: the client's own if it is sane, else a new one.
///
/// Everything inside finds it in the head's `X-Request-Id`, and each answer carries it.
struct RequestIdentity: HTTPHandler {
    let inner: any HTTPHandler
    private let ids = TaskIDGenerator()

    /// - Parameter inner: What answers.
    init(_ inner: any HTTPHandler) {
        self.inner = inner
    }

    func admit(_ head: RequestHead) -> HTTPServer.Admission {
        let id = Self.saneID(of: head) ?? ids.next().description
        var head = head
        head.headers[.requestID] = id
        return inner.admit(head).mappingAnswers { response in
            var response = response
            response.headers[.requestID] = id
            return response
        }
    }

    /// What the server refuses by itself has no head that could be trusted, so its id is a new one.
    func answer(to problem: ProblemDetails) -> ServerResponse {
        var problem = problem
        problem.requestID = problem.requestID ?? ids.next().description
        var response = inner.answer(to: problem)
        response.headers[.requestID] = problem.requestID
        return response
    }

    /// The client's id when it is one value of 1 to 128 letters, digits and `-_.:`: it is repeated in headers and logs.
    private static func saneID(of head: RequestHead) -> String? {
        let values = head.headers[values: .requestID]
        guard values.count == 1, let id = values.first, (1...128).contains(id.utf8.count) else { return nil }
        let isSane = id.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: ":"):
                true
            default: false
            }
        }
        return isSane ? id : nil
    }
}

extension RequestHead {
    /// The id of the request, as ``RequestIdentity`` has set it.
    var requestID: String? {
        headers[.requestID]
    }

    /// A problem as the answer to this request.
    func answer(
        _ type: ProblemType, _ detail: String? = nil, errors: [ProblemDetails.InputFault] = [],
        members: [ProblemDetails.Member] = [], headers: HTTPFields = [:]
    ) -> ServerResponse {
        answer(ProblemDetails(type, detail: detail, errors: errors, members: members), headers: headers)
    }

    /// A problem as the answer to this request, whose path and id it gets.
    func answer(_ problem: ProblemDetails, headers: HTTPFields = [:]) -> ServerResponse {
        var problem = problem
        problem.instance = target.path
        problem.requestID = requestID
        return problem.response(headers: headers)
    }
}
