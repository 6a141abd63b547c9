import SessionCore
import YAML

/// How often something may happen, as a configuration writes it: `100/s`, `600/m`, `1000/h`.
package struct Rate: Sendable, Hashable, CustomStringConvertible {
    /// How often, at least 1.
    package let count: Int
    /// In what time: one second, one minute or one hour.
    package let per: Duration

    private static let units: [(name: String, duration: Duration)] = [
        ("s", .seconds(1)), ("m", .seconds(60)), ("h", .seconds(3600)),
    ]

    /// The most that ``count`` may be.
    static let maxCount = 1_000_000_000

    /// The regular expression (ECMA-262) of what ``init(_:)`` takes.
    static let pattern = "^0*[1-9][0-9]{0,9}/(s|m|h)$"

    /// Reads a rate; `nil` for what is none, and for a rate of 0, which would let nothing happen.
    package init?(_ text: String) {
        let digits = text.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let rest = text.utf8.dropFirst(digits.count)
        guard let count = Int(String(digits) ?? ""), (1...Self.maxCount).contains(count),
            let unit = Self.units.first(where: { rest.elementsEqual("/\($0.name)".utf8) })
        else { return nil }
        self.count = count
        per = unit.duration
    }

    /// The rate of a session.
    init(_ rate: StartRate) {
        count = rate.count
        per = rate.period
    }

    /// As it is written in the file.
    package var description: String {
        let unit = Self.units.first { $0.duration == per }
        return "\(count)/\(unit?.name ?? "s")"
    }
}

extension SettingType where Value == Rate {
    /// A number for each second, minute or hour; see ``Rate``.
    static var rate: SettingType {
        .scalar(
            ScalarShape(
                label: "rate such as 100/s, 600/m or 1000/h", expectation: "a rate above 0 such as 100/s",
                constraint: .pattern(Rate.pattern, orInteger: false)),
            parse: { text throws(ScalarRefusal) in
                guard let rate = Rate(text) else { throw .unexpected }
                return rate
            },
            format: { .plain($0.description) })
    }
}

extension StartRate {
    /// The rate as a configuration has it.
    init(_ rate: Rate) {
        self.init(rate.count, per: rate.per)
    }
}
