import HTTPTypes
import RequestSerialization
import Transfer

extension RequestBuilder {
    /// The URL that a task's path means, with the parameters that belong there, if the session may go there.
    func url(
        of task: TaskRequest, _ method: HTTPRequest.Method?, _ problems: inout [RequestProblem]
    ) -> HTTPURL? {
        let query = query(of: task, method, &problems)
        let url: HTTPURL
        do throws(HTTPURLError) {
            url = if let base { try base.resolving(task.path) } else { try HTTPURL(task.path) }
        } catch {
            let error = SessionError(error)
            problems.append(RequestProblem(["path"], error.message, error.code))
            return nil
        }
        if let refusal = refusal(of: url) {
            problems.append(RequestProblem(["path"], refusal, .urlOutOfScope))
        }
        guard let query else { return url }
        let complete = url.addingQuery(query)
        if complete.string.utf8.count > HTTPURL.maxBytes {
            problems.append(RequestProblem(["parameters"], HTTPURLError.tooLong.description, .badURL))
        }
        return complete
    }

    /// Whether a request to `url` is one to somebody else than the base URL's origin.
    func leavesOrigin(_ url: HTTPURL) -> Bool {
        base.map { !url.isSameOrigin(as: $0) } ?? false
    }

    private func refusal(of url: HTTPURL) -> String? {
        guard let base else { return nil }
        return switch configuration.urlScope {
        case .any: nil
        case .origin:
            url.isSameOrigin(as: base) ? nil : "The URL is not on the scheme, host and port of the session's base URL"
        case .base:
            url.isBelow(base) ? nil : "The URL is not below the session's base URL"
        }
    }

    private func query(
        of task: TaskRequest, _ method: HTTPRequest.Method?, _ problems: inout [RequestProblem]
    ) -> String? {
        guard let parameters = task.parameters, let method,
            configuration.request.methodsWithParametersInURL.contains(method)
        else { return nil }
        do throws(RequestSerializationError) {
            return try QueryEncoding.encode(parameters, configuration.request.options.parameters)
        } catch {
            problems.append(RequestProblem(["parameters"], error.message))
            return nil
        }
    }
}
