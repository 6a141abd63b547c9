import HTTPSession

/// A download that is suspended and resumed: `steered-task [BASE-URL]`.
@main
enum SteeredTask {
    static func main() async throws {
        let baseURL = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8081"
        let api = try Session(baseURL: baseURL) { $0.response.serializer = .raw }

        // Ten bytes, one every 0.2 seconds.
        let task = try api.dataTask("drip", parameters: ["bytes": 10, "duration": 2])
        task.resume()
        var wasHeld = false
        for await progress in task.progressUpdates {
            print("\(progress.received) of \(progress.receiveTotal.map { "\($0)" } ?? "?") bytes, \(task.state)")
            if progress.received >= 5, !wasHeld {
                wasHeld = true
                task.suspend()
                print("suspended for a second: nothing is read, and time limits are paused")
                try await Task.sleep(for: .seconds(1))
                task.resume()
            }
        }

        let outcome = await task.outcome
        if let error = outcome.error { throw error }
        print(
            "\(outcome.response?.body?.size ?? 0) bytes in \(outcome.metrics.total), suspended for \(outcome.metrics.suspended)"
        )
    }
}
