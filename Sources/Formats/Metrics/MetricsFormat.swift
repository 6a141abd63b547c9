import ErrandHTTPGrammar

/// A text format of metrics.
package enum MetricsFormat: Sendable, Hashable, CaseIterable {
    /// The text format of Prometheus, version 0.0.4.
    case prometheus
    /// OpenMetrics, version 1.0.0.
    case openMetrics

    /// The value of `Content-Type`.
    package var contentType: String {
        switch self {
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }

    /// Selects the format for a value of `Accept`.
    ///
    /// OpenMetrics is selected if the client names it, in a version that is written here, and prefers nothing else.
    ///
    /// - Parameter accept: The value of the field; `nil` without the field.
    package init(accept: String?) {
        var (openMetrics, text) = (0.0, 0.0)
        // A value with a string that does not end names nothing.
        for item in FieldParts.split((accept ?? "")[...], at: UInt8(ascii: ",")) ?? [] {
            guard let range = MediaType(String(item)) else { continue }
            let quality = range[parameter: "q"].map { Double($0) ?? 0 } ?? 1
            switch range.description {
            case "application/openmetrics-text":
                let isKnown = range[parameter: "version"].map { $0 == "1.0.0" } ?? true
                if isKnown { openMetrics = max(openMetrics, quality) }
            case "text/plain", "text/*":
                text = max(text, quality)
            default: break
            }
        }
        self = openMetrics > 0 && openMetrics >= text ? .openMetrics : .prometheus
    }
}
