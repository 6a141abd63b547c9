import ErrandHTTPServer
import ErrandLocking

/// A handler that forwards requests to the pipeline in force; a reload does not affect requests already accepted.
package final class ReloadableHandler: HTTPHandler {
    private let pipeline: Mutex<RequestPipeline>

    package init(_ pipeline: RequestPipeline) {
        self.pipeline = Mutex(pipeline)
    }

    /// The request pipeline in force.
    package var current: RequestPipeline { pipeline.withLock { $0 } }

    /// Replaces the request pipeline for new requests.
    package func replace(with pipeline: RequestPipeline) {
        self.pipeline.withLock { $0 = pipeline }
    }

    func admit(_ head: RequestHead) -> RequestDisposition {
        current.admit(head)
    }

    func response(to problem: ProblemDetails) -> ServerResponse {
        current.response(to: problem)
    }
}
