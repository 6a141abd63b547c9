import ErrandConfiguration
import ErrandHTTPServer
import ErrandJSON
import ErrandSettings
import ErrandTaskStore
import HTTPTypes

/// `POST /v1/config:reload`: reloads the configuration.
struct ReloadEndpoint: Sendable {
    let reloader: ConfigurationReloader

    var routes: [APIRoute] {
        [
            APIRoute(.post, "/v1/config:reload", needs: .wholeGateway) { request in
                // The owner's route outlives reloads: the limit is that of the configuration in force.
                ActionOptions.admit(request.head, maxDepth: reloader.inForce.server.requests.maxDepth) {
                    response(to: request.head, await reloader.reload())
                }
            }
        ]
    }

    /// Returns the response to a reload with this outcome.
    func response(to head: RequestHead, _ outcome: ReloadOutcome) -> ServerResponse {
        switch outcome {
        case .applied(let reloaded):
            return ServerResponse(json: Self.document(reloaded))
        case .refused(let error):
            return Self.refusal(error, of: head)
        case .failed(let error as TaskStoreError):
            return head.response(.storeUnavailable, error.message, headers: [.retryAfter: "1"])
        case .failed:
            return head.response(.internalError, "the configuration was not changed")
        case .underWay:
            return head.response(
                .reloadUnderWay,
                """
                the reload has not ended yet and goes on: a file may be on a disk that does not answer; its result \
                will be in the log, and a later reload waits for it
                """, headers: [.retryAfter: "30"])
        case .unavailable:
            return head.response(
                .stopping, "the gateway is stopping, and its configuration was not reloaded",
                headers: [.retryAfter: "1"])
        }
    }

    /// Returns the response with all problems of a configuration, or with the first ones if too many bytes of responses
    /// wait for clients.
    private static func refusal(_ error: ConfigurationError, of head: RequestHead) -> ServerResponse {
        let problem = ProblemDetails(
            .invalidConfiguration, detail: "the configuration was not changed",
            errors: error.problems.map {
                ProblemDetails.InputFault(pointer: $0.pointer, detail: $0.text(file: error.file))
            })
        var response = head.response(problem)
        if case .bytes(let all) = response.body, case .bytes(let first) = head.response(problem.withFirstErrors).body {
            response.body = .bytes(all, orShort: { first })
        }
        return response
    }

    private static func document(_ reloaded: ReloadedConfiguration) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, paths) in [("changed", reloaded.changed), ("restart_required", reloaded.restartRequired)] {
            writer.member(name)
            writer.beginArray()
            for path in paths { writer.string(path) }
            writer.endArray()
        }
        writer.endObject()
        return writer.bytes
    }
}
