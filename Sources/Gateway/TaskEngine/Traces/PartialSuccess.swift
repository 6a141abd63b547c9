import ErrandJSON
import ErrandTransfer

/// The part of a batch of spans that a collector has rejected although it has taken the request.
///
/// It is the `partialSuccess` of an `ExportTraceServiceResponse` in JSON (OTLP, "Partial Success"). The rejected spans
/// must not be sent again.
struct PartialSuccess: Equatable {
    /// The number of rejected spans.
    let rejected: Int
    /// The reason of the collector, of any length.
    let reason: String

    /// Reads the content of a successful response; content of any other form rejects nothing.
    ///
    /// - Parameter spans: The number of spans in the batch.
    init(_ body: ReceivedBody?, spans: Int) {
        var member: JSONObject?
        if case .bytes(let bytes) = body?.content, let document = try? JSONDocument.parse(bytes) {
            member = document.root.object?["partialSuccess"]?.object
        }
        // 64-bit numbers are strings in the JSON of Protocol Buffers, and readers take both.
        let number = member?["rejectedSpans"].flatMap { $0.number?.int ?? $0.string.flatMap { Int($0) } }
        rejected = min(max(number ?? 0, 0), spans)
        let message = member?["errorMessage"]?.string ?? ""
        reason = message.isEmpty ? "the collector rejected them" : "the collector rejected them: \(message)"
    }
}
