import ErrandSessionCore

extension SessionTask {
    /// Runs the task, and returns its outcome and the events that its listeners were told.
    func told() async -> (outcome: SessionOutcome, events: [String]) {
        let events = events
        resume()
        let told = await events.reduce(into: [String]()) { $0.append("\($1)") }
        return (await outcome, told)
    }
}
