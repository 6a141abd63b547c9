import ErrandSupport
import Foundation

/// The metrics of a gateway, as read by a collector.
struct MetricsTable {
    /// The kind of each metric, by its name.
    private(set) var kinds: [String: String] = [:]
    /// The metrics with at least one value.
    private(set) var families: Set<String> = []
    private var values: [String: Double] = [:]

    /// Reads the text format of Prometheus.
    init(_ text: String) {
        var family = ""
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if line.hasPrefix("# TYPE "), words.count == 4 {
                family = String(words[2])
                kinds[family] = String(words[3])
            } else if !line.hasPrefix("#"), let last = words.last {
                families.insert(family)
                values[String(line.dropLast(last.count + 1))] = Double(last)
            }
        }
    }

    /// Returns the value of a series, as it is written: `name{label="value"}`.
    subscript(series: String) -> Double? { values[series] }

    /// Returns the metrics of docs/operations.md with their kinds.
    static func documented() throws -> [String: String] {
        let page = try String(contentsOf: ProjectFolder.root.appending(path: "docs/operations.md"), encoding: .utf8)
        var kinds: [String: String] = [:]
        for line in page.split(separator: "\n") where line.hasPrefix("| `errand_") || line.hasPrefix("| `process_") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            // Other tables have such names too, of files.
            guard ["counter", "gauge", "histogram"].contains(cells[1]) else { continue }
            for name in cells[0].split(separator: "`") where !name.hasPrefix(",") { kinds[String(name)] = cells[1] }
        }
        return kinds
    }
}
