import ErrandText
import ErrandYAML

/// A rate limit as a configuration writes it: `100/s`, `600/m`, `1000/h`.
package struct Rate: Sendable, Hashable, CustomStringConvertible {
    /// The number of events, at least 1.
    package let count: Int
    /// The period: one second, one minute or one hour.
    package let per: Duration

    private static let units: [(name: String, duration: Duration)] = [
        ("s", .seconds(1)), ("m", .seconds(60)), ("h", .seconds(3600)),
    ]

    /// The highest ``count``.
    static let maxCount = 1_000_000_000

    /// The regular expression (ECMA-262) of the texts that ``init(_:)`` accepts.
    static let pattern = "^0*[1-9][0-9]{0,9}/(s|m|h)$"

    /// Reads a rate; returns `nil` for any other text, and for a rate of 0, which would block everything.
    package init?(_ text: String) {
        let digits = text.utf8.prefix(while: \.isASCIIDigit)
        let rest = text.utf8.dropFirst(digits.count)
        guard let count = Int(String(digits) ?? ""), (1...Self.maxCount).contains(count),
            let unit = Self.units.first(where: { rest.elementsEqual("/\($0.name)".utf8) })
        else { return nil }
        self.count = count
        per = unit.duration
    }

    /// Creates a rate; a count below 1 becomes 1.
    ///
    /// - Parameter per: The period, one of the three.
    package init(_ count: Int, per: Duration) {
        self.count = max(count, 1)
        self.per = per
    }

    /// The text as the file writes it.
    package var description: String {
        let unit = Self.units.first { $0.duration == per }
        return "\(count)/\(unit?.name ?? "s")"
    }
}

extension SettingType where Value == Rate {
    /// The type of a rate: a number per second, minute or hour; see ``Rate``.
    package static var rate: SettingType {
        .scalar(
            ScalarShape(
                label: "rate such as 100/s, 600/m or 1000/h", expectation: "a rate above 0 such as 100/s",
                constraint: .pattern(Rate.pattern, orInteger: false)),
            remedy: { Remedy.rate($0) },
            parse: { text throws(ScalarRefusal) in
                guard let rate = Rate(text) else { throw .unexpected }
                return rate
            },
            format: { .plain($0.description) })
    }
}
