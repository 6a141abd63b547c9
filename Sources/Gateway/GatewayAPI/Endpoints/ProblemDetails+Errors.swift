import ErrandHTTPServer
import ErrandJSON

extension ProblemDetails {
    /// The most bytes of the errors of a problem: with its other members it is then one of the small responses, which
    /// are sent however many bytes wait for clients.
    static let maxErrorBytes = 48 * 1024

    /// The problem with its first errors, at most ``maxErrorBytes``, and a remark if there are more.
    var withFirstErrors: ProblemDetails {
        var bytes = 0
        let fitting = errors.prefix { fault in
            bytes += fault.byteCount
            return bytes <= Self.maxErrorBytes
        }
        guard fitting.count < errors.count else { return self }
        var problem = self
        problem.errors = Array(fitting)
        problem.detail = (detail.map { "\($0); " } ?? "") + "only the first \(fitting.count) errors are listed"
        return problem
    }
}

extension ProblemDetails.InputFault {
    /// The number of bytes of the fault in the list of a problem.
    fileprivate var byteCount: Int {
        #"{"pointer":,"detail":},"#.utf8.count + JSONWriter.byteCount(ofString: pointer)
            + JSONWriter.byteCount(ofString: detail)
    }
}
