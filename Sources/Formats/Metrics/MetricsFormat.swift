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
        for item in (accept ?? "").split(separator: ",") {
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let range = parts.first else { continue }
            var (quality, isKnown) = (1.0, true)
            for parameter in parts.dropFirst() {
                if parameter.hasPrefix("q=") {
                    quality = Double(String(parameter.dropFirst(2))) ?? 0
                } else if parameter.hasPrefix("version=") {
                    isKnown = parameter == "version=1.0.0" || parameter == #"version="1.0.0""#
                }
            }
            switch range {
            case "application/openmetrics-text": if isKnown { openMetrics = max(openMetrics, quality) }
            case "text/plain", "text/*": text = max(text, quality)
            default: break
            }
        }
        self = openMetrics > 0 && openMetrics >= text ? .openMetrics : .prometheus
    }
}
