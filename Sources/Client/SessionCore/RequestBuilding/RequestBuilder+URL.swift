import ErrandRequestSerialization
import ErrandTransfer
import HTTPTypes

extension RequestBuilder {
    /// Resolves a task's path and adds the parameters of the query, if the session's scope allows the URL.
    func url(
        of task: TaskRequest, method: HTTPRequest.Method?, _ problems: inout [RequestProblem]
    ) -> HTTPURL? {
        let query = query(of: task, method: method, &problems)
        let url: HTTPURL
        do throws(HTTPURLError) {
            url = if let base { try base.resolving(task.path) } else { try HTTPURL(task.path) }
        } catch {
            let hint = Self.hint(on: error, in: task.path)
            let error = SessionError(error)
            problems.append(RequestProblem(at: ["path"], detail: error.message + hint, code: error.code))
            return nil
        }
        if let refusal = refusal(of: url) {
            problems.append(RequestProblem(at: ["path"], detail: refusal, code: .urlOutOfScope))
        }
        guard let query else { return url }
        let complete = url.addingQuery(query)
        if complete.string.utf8.count > HTTPURL.maxBytes {
            problems.append(RequestProblem(at: ["parameters"], detail: HTTPURLError.tooLong.description, code: .badURL))
        }
        return complete
    }

    /// Returns a hint for a path whose first segment was parsed as a scheme (RFC 3986 §4.2).
    private static func hint(on error: HTTPURLError, in path: String) -> String {
        guard case .unsupportedScheme(let scheme) = error, !path.dropFirst(scheme.count).hasPrefix("://") else {
            return ""
        }
        return "; begin a path whose first segment contains a colon with ./, as in ./\(scheme):…"
    }

    /// Returns true if `url` is on another origin than the base URL.
    func leavesOrigin(_ url: HTTPURL) -> Bool {
        base.map { !url.isSameOrigin(as: $0) } ?? false
    }

    /// Returns the reason for which the session's scope excludes a URL; `nil` if it allows it.
    func refusal(of url: HTTPURL) -> String? {
        guard let base else { return nil }
        switch configuration.urlScope {
        case .any: return nil
        case .origin: if url.isSameOrigin(as: base) { return nil }
        case .base: if url.isBelow(base) { return nil }
        }
        // Without the paths, which may have secrets.
        guard url.isSameOrigin(as: base) else {
            return """
                \(url.origin) is not the origin of the session's base URL (\(base.origin)); give a path, use another \
                session, or set the URL scope of the session (url_scope) to any
                """
        }
        return """
            The path is not below that of the session's base URL; give a path that stays there, use another session, \
            or set the URL scope of the session (url_scope) to origin
            """
    }

    private func query(
        of task: TaskRequest, method: HTTPRequest.Method?, _ problems: inout [RequestProblem]
    ) -> String? {
        guard let parameters = task.parameters, let method,
            configuration.request.methodsWithParametersInURL.contains(method)
        else { return nil }
        do throws(RequestSerializationError) {
            return try QueryEncoding.encode(parameters, configuration.request.options.parameters)
        } catch {
            problems.append(RequestProblem(at: ["parameters"] + error.pointer, detail: error.message))
            return nil
        }
    }
}
