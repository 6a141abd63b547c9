import ErrandHTTPGrammar
import ErrandHTTPServer
import ErrandJSON
import ErrandSettings
import ErrandText
import ErrandTime
import HTTPTypes

/// The time that a client waits for a task before the response: `?wait=30s`, or `Prefer: wait=30` (RFC 7240 §4.3).
struct WaitPreference: Sendable, Hashable {
    /// The waiting time, at most the gateway's limit.
    var duration: Duration
    /// True if the time came from `Prefer`, so that the response has `Preference-Applied`.
    var isPreference: Bool
    /// True if the client has asked for a longer time, so that the response has `Preference-Applied` too.
    var isReduced = false

    /// Reads the waiting time of a request; the query takes precedence over the header.
    ///
    /// - Parameter limit: The maximum; longer times are reduced to it, however many digits they have.
    /// - Returns: `nil` without one. A malformed field `Prefer`, and an unknown preference, are ignored (RFC 7240 §2).
    /// - Throws: The fault of the query parameter.
    static func read(_ head: RequestHead, limit: Duration) throws(RequestRefusal) -> WaitPreference? {
        if let item = head.target.queryItems.first(where: { $0.name == "wait" }) {
            guard let duration = Self.time(of: item.value) else {
                throw .parameter("wait", expected: "a duration such as 30s", found: item.value)
            }
            return WaitPreference(duration, isPreference: false, limit: limit)
        }
        for field in head.headers[values: .prefer] {
            for preference in FieldParts.split(field[...], at: UInt8(ascii: ",")) ?? [] {
                guard let text = Self.value(of: preference) else { continue }
                guard let seconds = Self.seconds(in: text) else { return nil }
                return WaitPreference(seconds, isPreference: true, limit: limit)
            }
        }
        return nil
    }

    /// Returns the value of a preference `wait`, which may be malformed; `nil` for another preference.
    private static func value(of preference: Substring) -> Substring? {
        // Parameters follow, which `wait` does not have.
        let setting = FieldParts.split(preference, at: UInt8(ascii: ";"))?.first ?? preference
        guard let sign = setting.utf8.firstIndex(of: UInt8(ascii: "=")),
            setting[..<sign].trimmingOptionalWhitespace().lowercased() == "wait"
        else { return nil }
        return setting[setting.utf8.index(after: sign)...].trimmingOptionalWhitespace()
    }

    /// Returns the time of a token or a quoted string (RFC 7240 §2) with a number of seconds; `nil` for other text.
    private static func seconds(in text: Substring) -> Duration? {
        var rest = text
        guard let number = ParameterValue.read(&rest), rest.isEmpty, !number.isEmpty,
            number.utf8.allSatisfy(\.isASCIIDigit)
        else { return nil }
        return Int64(number).map { Duration.seconds($0) } ?? longest
    }

    /// Returns the duration in a text, or ``longest`` if its number is too large; `nil` if the text is no duration.
    private static func time(of text: String) -> Duration? {
        if let duration = DurationText.parse(text) { return duration }
        let digits = text.utf8.prefix(while: \.isASCIIDigit)
        let unit = text[digits.endIndex...]
        guard !digits.isEmpty, unit.isEmpty || Duration.textUnits.contains(where: { $0.name == unit }) else {
            return nil
        }
        // A number is not large because of the zeros before it.
        let significant = digits.drop { $0 == UInt8(ascii: "0") }
        return DurationText.parse("0\(Substring(significant))\(unit)") ?? longest
    }

    /// A time above every limit.
    private static let longest = Duration.seconds(Int64.max)

    /// Returns the response with `Preference-Applied` (RFC 7240 §3) if the time depends on `Prefer` or was reduced.
    func applied(to response: ServerResponse) -> ServerResponse {
        guard isPreference || isReduced else { return response }
        var response = response
        response.headers[.preferenceApplied] = "wait=\(duration.components.seconds)"
        return response
    }
}

extension WaitPreference {
    /// Creates the preference of a client who asked for a time, which is reduced to the limit.
    fileprivate init(_ asked: Duration, isPreference: Bool, limit: Duration) {
        self.init(duration: min(asked, limit), isPreference: isPreference, isReduced: asked > limit)
    }
}
