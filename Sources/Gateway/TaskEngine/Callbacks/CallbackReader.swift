import ErrandConfiguration
import ErrandJSON
import ErrandSessionCore
import ErrandTransfer

/// Reads the `callback` member of a task, and has the session that will send the message check its destination.
enum CallbackReader {
    /// Reads the member from a task.
    ///
    /// - Parameters:
    ///   - sessions: The existing sessions.
    ///   - caller: The caller, whose visible sessions the callback may name.
    /// - Returns: `nil` if there is no callback, or an invalid one.
    /// - Throws: ``TaskRejection/forbidden(_:)`` for a session that the caller must not use.
    static func read(
        _ task: inout JSONObjectReader, sessions: SessionCatalog, caller: Caller
    ) throws(TaskRejection) -> CallbackSpecification? {
        guard var callback = task.object("callback") else { return nil }
        let url = callback.string("url")
        if url == nil, !callback.says("url") { callback.report("url", "a callback requires a URL") }
        let states = states(&callback)
        let isNamed = callback.says("session")
        let name = callback.string("session")
        if let name, !caller.sees(session: name) { throw .forbidden(name) }
        callback.finish()
        if !sessions.callbacks.takesCallbacks {
            task.report(
                "callback",
                """
                the gateway cannot sign callbacks: its configuration needs callbacks.secrets or callbacks.unsigned
                """)
        }
        guard
            let session = session(name, isNamed: isNamed, in: callback, sessions: sessions, caller: caller),
            let url
        else { return nil }
        judge(url, carriedBy: session, isNamed: isNamed, in: callback)
        return CallbackSpecification(url: url, session: name, states: states)
    }

    private static func states(_ callback: inout JSONObjectReader) -> Set<CallbackSpecification.State> {
        let all = CallbackSpecification.State.allCases
        let names = all.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        let given = callback.list("states", expecting: names) { value in
            value.string.flatMap(CallbackSpecification.State.init(rawValue:))
        }
        guard let given else { return Set(all) }
        if callback.value("states")?.array?.isEmpty ?? false {
            callback.report("states", "expected at least one of \(names)")
        }
        return Set(given)
    }

    /// Returns the session that will send the message.
    private static func session(
        _ name: String?, isNamed: Bool, in callback: JSONObjectReader, sessions: SessionCatalog, caller: Caller
    ) -> Session? {
        // A name that is not a string is reported already.
        guard !isNamed || name != nil else { return nil }
        guard let session = sessions[name ?? SessionConfiguration.callbacksName] else {
            let meant = name.flatMap { closestMatch(to: $0, among: sessions.names.filter(caller.sees)) }
            let hint = meant.map { "; did you mean \"\($0)\"?" } ?? ""
            callback.report("session", "unknown session \"\(name ?? SessionConfiguration.callbacksName)\"\(hint)")
            return nil
        }
        return session
    }

    /// Reports errors that keep a session from posting to a URL.
    ///
    /// The resolved address is checked when the connection is opened, at each attempt.
    private static func judge(
        _ url: String, carriedBy session: Session, isNamed: Bool, in callback: JSONObjectReader
    ) {
        let message = CallbackMessage(id: "", url: url, body: Array("{}".utf8))
        do throws(RequestProblems) {
            if !isNamed { try checkAbsolute(url) }
            _ = try session.prepare(message.request)
        } catch {
            for problem in error.problems {
                callback.report(problem.pointer == ["path"] ? "url" : "session", problem.detail)
            }
        }
    }

    /// Requires an absolute URL: the default session for callbacks may have a base URL, which is not meant for clients'
    /// URLs.
    private static func checkAbsolute(_ url: String) throws(RequestProblems) {
        do throws(HTTPURLError) {
            _ = try HTTPURL(url)
        } catch {
            throw RequestProblems(RequestProblem(at: ["path"], detail: error.description))
        }
    }
}
