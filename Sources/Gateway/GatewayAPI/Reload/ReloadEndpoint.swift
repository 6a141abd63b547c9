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
                ActionOptions.admit(request.head) { response(to: request.head, await reloader.reload()) }
            }
        ]
    }

    private func response(to head: RequestHead, _ outcome: ReloadOutcome) -> ServerResponse {
        switch outcome {
        case .applied(let reloaded):
            return ServerResponse(json: Self.document(reloaded))
        case .refused(let error):
            return head.response(
                .invalidConfiguration, "the configuration was not changed",
                errors: error.problems.map {
                    ProblemDetails.InputFault(pointer: $0.pointer, detail: $0.text(file: error.file))
                })
        case .failed(let error as TaskStoreError):
            return head.response(.storeUnavailable, error.message, headers: [.retryAfter: "1"])
        case .failed:
            return head.response(.internalError, "the configuration was not changed")
        case .unavailable:
            return head.response(
                .stopping, "the gateway is stopping, and its configuration was not reloaded",
                headers: [.retryAfter: "1"])
        }
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
