import ErrandHTTPServer
import ErrandText

/// The arguments of an endpoint: its path parameters and its query.
struct Arguments {
    private let path: RouteParameters
    private let query: [QueryItem]

    init(_ head: RequestHead, _ parameters: RouteParameters) {
        path = parameters
        query = head.target.queryItems
    }

    /// Returns a path parameter, or else the first query parameter with this name.
    subscript(name: String) -> String? {
        path[name] ?? query.first { $0.name == name }?.value
    }

    /// Returns a whole number.
    ///
    /// - Throws: A ``ProblemType/unusableArgument`` if it is missing without a default, or not in `range`.
    func integer(
        _ name: String, in range: ClosedRange<Int64>, default: Int64? = nil
    ) throws(ProblemDetails) -> Int64 {
        guard let text = self[name] else {
            if let `default` { return `default` }
            throw unusable(name, expected: "a whole number")
        }
        guard let number = Int64(decimalDigits: text), range.contains(number) else {
            throw unusable(
                name, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)", found: text)
        }
        return number
    }

    /// Returns a duration in seconds, such as `30` or `0.25`, down to nanoseconds.
    ///
    /// - Throws: A ``ProblemType/unusableArgument`` if it is missing without a default, or above `limit`.
    func seconds(
        _ name: String, upTo limit: Int64, default: Duration? = nil
    ) throws(ProblemDetails) -> Duration {
        guard let text = self[name] else {
            if let `default` { return `default` }
            throw unusable(name, expected: "seconds")
        }
        guard let duration = Self.duration(text), duration <= .seconds(limit) else {
            throw unusable(name, expected: "seconds from 0 to \(limit), such as 0.25", found: text)
        }
        return duration
    }

    /// Returns the problem of an invalid argument.
    func unusable(_ name: String, expected: String, found: String? = nil) -> ProblemDetails {
        let found = found.map { ", found \"\($0)\"" } ?? ""
        return ProblemDetails(.unusableArgument, detail: "\(name): expected \(expected)\(found)")
    }

    private static func duration(_ text: String) -> Duration? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, let seconds = Int64(decimalDigits: whole) else { return nil }
        guard parts.count == 2 else { return .seconds(seconds) }
        let places = parts[1].utf8.count
        guard (1...9).contains(places),
            let nanoseconds = Int64(decimalDigits: String(parts[1]) + String(repeating: "0", count: 9 - places))
        else { return nil }
        return .seconds(seconds) + .nanoseconds(nanoseconds)
    }
}
