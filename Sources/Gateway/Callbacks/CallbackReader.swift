import Configuration
import HTTPTypes
import JSON
import SessionCore
import Transfer

/// Reads the `callback` member of a task, and has the session that will carry the message judge where it goes.
enum CallbackReader {
    /// Takes the member out of a task.
    ///
    /// - Parameters:
    ///   - sessions: Those that there are.
    ///   - caller: Who wants the callback: he may name his sessions only.
    /// - Returns: `nil` when there is none, or a wrong one.
    /// - Throws: ``TaskRejection/forbidden(_:)`` for a session that the caller must not use.
    static func read(
        _ task: inout JSONObjectReader, sessions: SessionCatalog, caller: Caller
    ) throws(TaskRejection) -> CallbackSpecification? {
        guard var callback = task.object("callback") else { return nil }
        let url = callback.string("url")
        if url == nil, !callback.says("url") { callback.report("url", "a callback needs a URL") }
        let states = states(&callback)
        let isNamed = callback.says("session")
        let name = callback.string("session")
        if let name, !caller.sees(session: name) { throw .forbidden(name) }
        callback.finish()
        if !sessions.callbacks.takesCallbacks {
            task.report(
                "callback",
                """
                there is no secret to sign callbacks with: the gateway needs callbacks.secrets, or callbacks.unsigned
                """)
        }
        guard let session = session(name, isNamed: isNamed, callback, sessions, caller), let url else { return nil }
        judge(url, carriedBy: session, isNamed: isNamed, callback)
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
            callback.report("states", "a callback is for one state at least: \(names)")
        }
        return Set(given)
    }

    /// The session that will carry the message.
    private static func session(
        _ name: String?, isNamed: Bool, _ callback: JSONObjectReader, _ sessions: SessionCatalog, _ caller: Caller
    ) -> Session? {
        // A name that is no string has been reported.
        guard !isNamed || name != nil else { return nil }
        guard let session = sessions[name ?? SessionConfiguration.callbacksName] else {
            let meant = name.flatMap { closestMatch(to: $0, among: sessions.names.filter(caller.sees)) }
            let hint = meant.map { "; did you mean \"\($0)\"?" } ?? ""
            callback.report("session", "there is no session \"\(name ?? SessionConfiguration.callbacksName)\"\(hint)")
            return nil
        }
        return session
    }

    /// Reports what keeps a session from posting to a URL.
    ///
    /// The address behind the name is judged when it is dialled, at each attempt.
    private static func judge(
        _ url: String, carriedBy session: Session, isNamed: Bool, _ callback: JSONObjectReader
    ) {
        let message = CallbackMessage(id: "", url: url, body: Array("{}".utf8))
        do throws(RequestProblems) {
            if !isNamed { try checkAbsolute(url) }
            let prepared = try session.prepare(message.request)
            if prepared.transfer.headers.contains(.contentEncoding) {
                callback.report(
                    "session",
                    "the session compresses its requests, and receivers verify the signature of what they receive")
            }
        } catch {
            for problem in error.problems {
                callback.report(problem.pointer == ["path"] ? "url" : "session", problem.detail)
            }
        }
    }

    /// The session that is always there may have got a base URL, which is no client's business.
    private static func checkAbsolute(_ url: String) throws(RequestProblems) {
        do throws(HTTPURLError) {
            _ = try HTTPURL(url)
        } catch {
            throw RequestProblems(RequestProblem(["path"], error.description))
        }
    }
}
