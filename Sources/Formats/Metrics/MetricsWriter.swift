/// A writer of metrics as text, one family after the other.
///
/// ```swift
/// var writer = MetricsWriter(.prometheus)
/// writer.family("errand_tasks", kind: .gauge, help: "Tasks by state.")
/// writer.sample(3, [("state", "queued")])
/// let bytes = writer.finish()
/// ```
package struct MetricsWriter {
    /// The kind of a family.
    package enum Kind: String, Sendable, Hashable {
        /// A number that only grows; it begins at 0 with the process.
        case counter
        /// A number that rises and falls.
        case gauge
        /// Observed values, counted in buckets.
        case histogram
    }

    /// The names and values of a sample's labels.
    package typealias Labels = [(String, String)]

    private let format: MetricsFormat
    private var bytes: [UInt8] = []
    /// The name of the current family's samples.
    private var name = ""

    /// Creates a writer without families.
    package init(_ format: MetricsFormat) {
        self.format = format
    }

    /// Begins a family; the samples that follow belong to it.
    ///
    /// - Parameters:
    ///   - name: The name, without `_total`, which is added to the samples of counters.
    ///   - kind: The kind.
    ///   - help: A sentence that describes the samples.
    package mutating func family(_ name: String, kind: Kind, help: String) {
        self.name = kind == .counter ? name + "_total" : name
        // OpenMetrics names the family, Prometheus the samples.
        let title = format == .openMetrics ? name : self.name
        append("# HELP \(title) \(Self.escaped(help, quotes: format == .openMetrics))\n")
        append("# TYPE \(title) \(kind.rawValue)\n")
    }

    /// Writes a sample of a counter or gauge.
    package mutating func sample(_ value: Int, _ labels: Labels = []) {
        write(labels: labels, value: String(value))
    }

    /// Writes a sample of a counter or gauge.
    package mutating func sample(_ value: Double, _ labels: Labels = []) {
        write(labels: labels, value: Self.text(of: value))
    }

    /// Writes the samples of a histogram: its buckets, its sum and its count.
    package mutating func sample(_ histogram: Histogram, _ labels: Labels = []) {
        var count = 0
        for (limit, number) in zip(histogram.limits + [.infinity], histogram.counts) {
            count += number
            write(suffix: "_bucket", labels: labels + [("le", Self.text(of: limit))], value: String(count))
        }
        write(suffix: "_sum", labels: labels, value: Self.text(of: histogram.sum))
        write(suffix: "_count", labels: labels, value: String(count))
    }

    /// Returns the text; OpenMetrics ends with a line that shows that it is complete.
    package consuming func finish() -> [UInt8] {
        format == .openMetrics ? bytes + Array("# EOF\n".utf8) : bytes
    }

    private mutating func write(suffix: String = "", labels: Labels, value: String) {
        append(name)
        append(suffix)
        if !labels.isEmpty {
            append("{")
            for (index, label) in labels.enumerated() {
                if index > 0 { append(",") }
                append("\(label.0)=\"\(Self.escaped(label.1, quotes: true))\"")
            }
            append("}")
        }
        append(" \(value)\n")
    }

    private mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Returns a text with escape sequences for backslashes, line feeds and, if told, quotes.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func text(of value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value.description
    }
}
