import ErrandHTTPServer
import ErrandLocking

/// A handler that forwards requests to the pipeline in force; a reload does not affect requests already accepted.
package final class ReloadableHandler: HTTPHandler {
    private let pipeline: Mutex<RequestPipeline>
    private let meters: RequestMeters
    private let accessLog: AccessLog

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - meters: Counts the requests, also those that the server refuses.
    ///   - accessLog: Logs the requests, if the pipeline in force wants it.
    package init(_ pipeline: RequestPipeline, meters: RequestMeters, accessLog: AccessLog) {
        self.pipeline = Mutex(pipeline)
        self.meters = meters
        self.accessLog = accessLog
    }

    /// The request pipeline in force.
    package var current: RequestPipeline { pipeline.withLock { $0 } }

    /// Replaces the request pipeline for new requests.
    package func replace(with pipeline: RequestPipeline) {
        self.pipeline.withLock { $0 = pipeline }
    }

    func requestID(of head: RequestHead) -> String? {
        current.requestID(of: head)
    }

    func admit(_ head: RequestHead, route: inout String?) -> RequestDisposition {
        current.admit(head, route: &route)
    }

    func response(to problem: ProblemDetails) -> ServerResponse {
        current.response(to: problem)
    }

    func responseDidBegin(_ response: BegunResponse) {
        meters.count(response)
    }

    func responseDidEnd(_ response: EndedResponse) {
        accessLog.note(response)
    }
}
