import ErrandFiles
import ErrandHTTPServer
import ErrandMetrics
import ErrandTaskEngine
import ErrandTaskStore
import HTTPTypes

/// `GET /metrics`: numbers for Prometheus and other collectors.
///
/// All numbers are kept in memory, or by the system; of the first tasks of queues that were loaded from the store, the
/// time since which they wait is read, and left out if the store does not tell it soon.
struct MetricsEndpoint: Sendable {
    let context: TaskContext
    let dispatcher: Dispatcher
    /// The counts of the API's requests.
    let requests: RequestMeters
    /// Returns the number of open event streams.
    let streams: @Sendable () -> Int
    /// The names and versions of the program and its libraries.
    let versions: [(name: String, version: String)]

    /// Returns the metrics in the format that the client accepts.
    func response(_ head: RequestHead) async -> ServerResponse {
        await head.response(context.logger) { () async throws(TaskStoreError) in
            let format = MetricsFormat(accept: head.headers[.accept])
            let counts = try await context.store.counts()
            var writer = MetricsWriter(format)
            await dispatcher.writeMetrics(counts, to: &writer)
            requests.writeMetrics(to: &writer)
            writer.family("errand_event_streams", kind: .gauge, help: "Open event streams.")
            writer.sample(streams())
            writer.family("errand_build_info", kind: .gauge, help: "The versions of the program and its libraries.")
            writer.sample(1, versions.map { ($0.name, $0.version) })
            context.store.work.writeMetrics(to: &writer)
            ProcessUsage().writeMetrics(to: &writer)
            return ServerResponse(
                status: .ok,
                headers: [.contentType: format.contentType, .cacheControl: "no-cache", .vary: "Accept"],
                body: .bytes(writer.finish()))
        }
    }
}
