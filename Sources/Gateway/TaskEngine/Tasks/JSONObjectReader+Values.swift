import ErrandJSON
import ErrandSettings
import ErrandTaskStore
import ErrandTime

/// Values that occur in several documents of clients.
extension JSONObjectReader {
    /// Reads a Boolean; `nil` if it is missing.
    mutating func boolean(_ name: String) -> Bool? {
        parsed(name, expecting: "true or false") { value in
            if case .bool(let flag) = value.kind { flag } else { nil }
        }
    }

    /// Reads a Boolean; `false` if it is missing.
    package mutating func flag(_ name: String) -> Bool {
        boolean(name) ?? false
    }

    /// Reads a number in a range.
    mutating func number(_ name: String, in range: ClosedRange<Double>) -> Double? {
        parsed(name, expecting: "a number from \(range.lowerBound) to \(range.upperBound)") { value in
            guard case .number(let number) = value.kind, range.contains(number.double) else { return nil }
            return number.double
        }
    }

    /// Reads a duration: a string such as `"30s"`, or a number of seconds.
    mutating func duration(_ name: String) -> Duration? {
        parsed(name, expecting: "a duration such as \"30s\"") { value in
            switch value.kind {
            case .string(let text): DurationText.parse(text)
            case .number(let number): DurationText.parse(number.lexeme)
            default: nil
            }
        }
    }

    /// Reads a duration in a range.
    mutating func duration(_ name: String, in range: ClosedRange<Duration>) -> Duration? {
        guard let duration = duration(name) else { return nil }
        guard range.contains(duration) else {
            let bounds = "\(range.lowerBound.shortText) to \(range.upperBound.shortText)"
            report(name, "expected a duration from \(bounds), found \(duration.shortText)")
            return nil
        }
        return duration
    }

    /// Reads a time of RFC 3339.
    mutating func time(_ name: String) -> Timestamp? {
        parsed(name, expecting: "a time such as \"2026-11-21T12:00:00Z\"") { $0.string.flatMap { Timestamp($0) } }
    }
}
