import ErrandSupport

/// The configuration of gateways whose callbacks are received by the test.
enum CallbackSettings {
    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    static let nextSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDAAAAAAAAAAA="

    /// - Parameters:
    ///   - upstream: The upstream of the tasks.
    ///   - secrets: The secrets that sign callbacks.
    ///   - allows: True if the session `callbacks` may connect to the receiver on this machine.
    static func settings(upstream: String, secrets: [String], allows: Bool = true) -> GatewaySettings {
        var settings = GatewaySettings(upstream: upstream)
        settings.store = ["durability: full"]
        let list = secrets.map { "\"\($0)\"" }.joined(separator: ", ")
        settings.more = ["callbacks: { secrets: [\(list)] }"]
        if allows { settings.sessions = ["callbacks: { egress: { allow: [127.0.0.1] }, timeouts: { total: 24h } }"] }
        return settings
    }

    /// Returns a task with a callback.
    static func task(callback url: String, more: String = "") -> String {
        #"{"session":"up","path":"x","callback":{"url":"\#(url)"\#(more)}}"#
    }

    /// Answers with these statuses in turn, and then repeats the last.
    ///
    /// - Parameter onRequest: Called before each response.
    static func answering(
        _ statuses: String..., fields: [String] = [], onRequest: @escaping @Sendable () -> Void = {}
    ) -> ScriptedServer.Script {
        let count = EventLog<Void>()
        return { connection in
            while true {
                try connection.readRequest()
                count.append()
                onRequest()
                let status = statuses[min(count.events.count, statuses.count) - 1]
                try connection.respond(status, status.hasPrefix("2") ? [] : fields, body: "")
            }
        }
    }
}

extension APIClient {
    /// Returns the only delivery about a task.
    func delivery(about task: TaskView) async throws -> TaskView {
        let found = try await list("?parent=\(task.id)&kind=callback").tasks
        guard let delivery = found.first, found.count == 1 else { throw NoDelivery(count: found.count) }
        return delivery
    }
}

/// A task has no delivery, or several.
struct NoDelivery: Error {
    var count: Int
}
