import HTTPSession

/// Prints the events of a session as they occur: `watched-session [BASE-URL]`.
@main
enum WatchedSession {
    static func main() async throws {
        let baseURL = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8081"
        let api = try Session(baseURL: baseURL) {
            $0.credentials = .basic(username: "ada", password: "lovelace")
            $0.redirects.limit = 5
        }

        // The stream is created before the first task, so that no event is missed.
        let events = api.events
        async let told: Void = tell(events)
        try await api.get("redirect/2")
        try await api.get("basic-auth/ada/lovelace")
        await api.invalidate(cancelingTasks: false)
        await told
    }

    private static func tell(_ events: some AsyncSequence<SessionEvent, Never> & Sendable) async {
        for await event in events {
            switch event {
            case .task(let id, let event):
                if let words = words(for: event) { print("task \(id): \(words)") }
            case .reachability(let reachability): print("the upstream is \(reachability.rawValue)")
            case .invalidated: print("the session is closed")
            }
        }
    }

    /// Returns the text to print, or `nil` for progress and metrics, which differ each time.
    private static func words(for event: SessionTaskEvent) -> String? {
        switch event {
        case .resumed: "resumed"
        case .suspended: "suspended"
        case .redirected(_, let target, let status): "redirected (\(status)) to \(target.path)"
        case .challenged(let url): "challenged by \(url.host)"
        case .responded(let head): "responded with \(head.status)"
        case .progress, .measured: nil
        case .completed(let outcome): outcome.error.map { "failed: \($0.message)" } ?? "completed"
        }
    }
}
