import ErrandHTTPServer
import ErrandTaskEngine
import ErrandTaskStore
import ErrandText
import HTTPTypes

/// A handler that gives each request an id: a valid one sent by the client, else a new one.
///
/// Inner handlers find it in the head, and each response carries it.
struct RequestIdentity: HTTPHandler {
    let inner: any HTTPHandler
    /// True if each response gets a tag for the access log.
    let logsAccess: Bool
    private let ids = TaskIDGenerator()

    /// - Parameters:
    ///   - inner: The handler that gets the request with its id.
    ///   - logsAccess: True if each response gets a tag for the access log.
    init(_ inner: any HTTPHandler, logsAccess: Bool = false) {
        self.inner = inner
        self.logsAccess = logsAccess
    }

    func requestID(of head: RequestHead) -> String? {
        identifier(of: head)
    }

    func admit(_ head: RequestHead, route: inout String?) -> RequestDisposition {
        let id = head.requestID ?? identifier(of: head)
        var head = head
        head.requestID = id
        let disposition = inner.admit(head, route: &route)
        guard !logsAccess else {
            let traceID = TraceContext(head.headers)?.traceID
            return disposition.changingResponses { response in
                response.headers[.requestID] = id
                response.tag = AccessTag(
                    requestID: id, tokenName: (response.tag as? AccessTag)?.tokenName, traceID: traceID)
            }
        }
        // The usual case of a short answer, without a closure.
        if case .immediate(var response) = disposition {
            response.headers[.requestID] = id
            return .immediate(response)
        }
        return disposition.changingResponses { $0.headers[.requestID] = id }
    }

    /// Responses to requests that the server itself refuses before it asks for their id get a new one, as their head is
    /// not trusted.
    func response(to problem: ProblemDetails) -> ServerResponse {
        var problem = problem
        problem.requestID = problem.requestID ?? ids.next().description
        var response = inner.response(to: problem)
        response.headers[.requestID] = problem.requestID
        if logsAccess { response.tag = AccessTag(requestID: problem.requestID) }
        return response
    }

    private func identifier(of head: RequestHead) -> String {
        Self.saneID(of: head) ?? ids.next().description
    }

    /// Returns the client's id if it is a single value of 1 to 128 letters, digits and `-_.:`, as it is repeated in
    /// headers and logs.
    private static func saneID(of head: RequestHead) -> String? {
        let values = head.headers[values: .requestID]
        guard values.count == 1, let id = values.first, (1...128).contains(id.utf8.count) else { return nil }
        let isSane = id.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_.:".utf8.contains($0) }
        return isSane ? id : nil
    }
}

extension RequestHead {
    /// Returns a problem as the response to this request.
    ///
    /// - Parameter detail: The fault of this request, and the remedy.
    @inline(never)
    func response(
        _ type: ProblemType, _ detail: String, errors: [ProblemDetails.InputFault] = [],
        members: [ProblemDetails.Member] = [], headers: HTTPFields = [:]
    ) -> ServerResponse {
        response(ProblemDetails(type, detail: detail, errors: errors, members: members), headers: headers)
    }

    /// Returns a problem as the response to this request, with its path and id.
    ///
    /// Not inlined, like the functions that call it: problems are rare, and their values would become a part of the
    /// frames of functions that suspend.
    @inline(never)
    func response(_ problem: ProblemDetails, headers: HTTPFields = [:]) -> ServerResponse {
        var problem = problem
        problem.instance = target.path
        problem.requestID = requestID
        return problem.response(headers: headers)
    }
}
