import ErrandJSON
import ErrandText
import ErrandTime

/// Remedies of common mistakes in scalars, for messages such as `found "10/sec"; did you mean 10/s?`.
///
/// Each function returns `nil` for a text without a known remedy. A remedy repeats nothing of a text except numbers and
/// addresses, so that it shows no secret in the wrong place.
package enum Remedy {
    /// Returns the question whether a value was meant.
    package static func meant(_ value: String) -> String { "did you mean \(value)?" }

    // MARK: Words

    /// Returns the word that a text most likely means: with other capitals, shortened, extended or misspelt.
    package static func word(_ text: String, among words: [String]) -> String? {
        let text = text.lowercased()
        if let word = words.first(where: { $0.lowercased() == text }) { return meant(word) }
        if ["false", "no", "disabled"].contains(text), let word = words.first(where: { $0 == "off" || $0 == "none" }) {
            return meant(word)
        }
        guard text.utf8.count >= 3 else { return nil }
        let related = words.filter { $0.utf8.count >= 3 && ($0.hasPrefix(text) || text.hasPrefix($0)) }
        if related.count == 1 { return meant(related[0]) }
        return closestMatch(to: text, among: words).map(meant)
    }

    /// Returns the Boolean for the other words of YAML 1.1, and for other capitals.
    package static func boolean(_ text: String) -> String? {
        switch text.lowercased() {
        case "true", "yes", "on", "y", "enabled": meant("true")
        case "false", "no", "off", "n", "disabled": meant("false")
        default: nil
        }
    }

    /// Returns the name of the setting that a name most likely means: by another common name, misspelt, or shortened to
    /// a part of it.
    package static func setting(_ name: String, among names: [String]) -> String? {
        if let other = otherNames[name.lowercased()], names.contains(other) { return other }
        return likelyName(of: name, among: names)
    }

    /// Names of settings in other programs.
    private static let otherNames = [
        "auth": "credentials", "authentication": "credentials", "authorization": "credentials", "base": "base_url",
        "baseurl": "base_url", "concurrency": "concurrent", "cors_origins": "cors", "endpoint": "base_url",
        "listener": "listen", "log": "logging", "logs": "logging", "max_retries": "max_attempts", "port": "listen",
        "retries": "retry", "ssl": "security", "tls": "security", "upstreams": "sessions", "url": "base_url",
    ]

    // MARK: Numbers with units

    /// Returns the notation of a duration with another name of its unit, with a fraction, or of several units:
    /// `30 sec`, `1.5m`, `1h30m`, `1w`.
    package static func duration(_ text: String) -> String? {
        if let (digits, rest) = number(text), let name = unit(rest) {
            return "\(digits)\(name)" == text ? nil : meant("\(digits)\(name)")
        }
        return milliseconds(text).map { meant(Duration.milliseconds($0).shortText) }
    }

    /// Returns the sum of numbers with units, each with at most three decimal places; one without a unit is in seconds.
    private static func milliseconds(_ text: String) -> Int64? {
        var rest = text.lowercased().filter { $0 != " " }[...]
        var sum: Int64 = 0
        // More parts than there are units mean nothing, and might exceed the range of the sum.
        for _ in Duration.textUnits.indices where !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            var places = Substring()
            if rest.first == "." {
                places = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
                rest = rest.dropFirst(1 + places.count)
            }
            let name = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(name.count)
            guard (1...9).contains(digits.utf8.count), places.utf8.count <= 3, let whole = Int64(digits),
                let thousandths = Int64("\(places)" + String(repeating: "0", count: 3 - places.utf8.count)),
                let length = millisecondsOfUnit(name.isEmpty && rest.isEmpty && sum == 0 ? "s" : "\(name)")
            else { return nil }
            sum += whole * length + thousandths * length / 1000
        }
        return rest.isEmpty && sum > 0 ? sum : nil
    }

    private static func millisecondsOfUnit(_ name: String) -> Int64? {
        if ["w", "week", "weeks"].contains(name) { return 7 * 86_400_000 }
        return unit(name).flatMap { unit in Duration.textUnits.first { $0.name == unit }?.milliseconds }
    }

    /// Returns the notation of a size with another name of its unit: `64MB`, `64 mib`, `64M`.
    package static func size(_ text: String) -> String? {
        guard let size = normalSize(text), size != text else { return nil }
        return meant(size)
    }

    /// Returns the notation of a number of bytes per second with another unit: `1MiB`, `1MB/s`, `1 MB/sec`.
    package static func bytesPerSecond(_ text: String) -> String? {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 1 || unit(parts[1].lowercased().filter { $0 != " " }) == "s",
            let size = parts.first.flatMap({ normalSize(String($0)) }), "\(size)/s" != text
        else { return nil }
        return meant("\(size)/s")
    }

    /// Returns the notation of a rate with another name of its period, and the possible periods for a bare number.
    package static func rate(_ text: String) -> String? {
        guard let (digits, rest) = number(text), let count = Int(digits), (1...Rate.maxCount).contains(count) else {
            return nil
        }
        guard !rest.isEmpty else { return meant("\(count)/s, \(count)/m or \(count)/h") }
        guard let mark = ["/", "per"].first(where: { rest.hasPrefix($0) }),
            let period = unit(String(rest.dropFirst(mark.count))), ["s", "m", "h"].contains(period),
            "\(count)/\(period)" != text
        else { return nil }
        return meant("\(count)/\(period)")
    }

    /// Returns the leading digits of a text, and the rest in lower case and without spaces.
    private static func number(_ text: String) -> (digits: String, rest: String)? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard (1...9).contains(digits.utf8.count) else { return nil }
        return (String(digits), text.dropFirst(digits.count).lowercased().filter { $0 != " " })
    }

    /// Returns the unit of durations with a name in lower case.
    private static func unit(_ name: String) -> String? {
        switch name {
        case "ms", "msec", "msecs", "millisecond", "milliseconds": "ms"
        case "s", "sec", "secs", "second", "seconds": "s"
        case "m", "min", "mins", "minute", "minutes": "m"
        case "h", "hr", "hrs", "hour", "hours": "h"
        case "d", "day", "days": "d"
        default: nil
        }
    }

    /// Returns a size in the notation of ``ByteSize``, given one with units such as `MB` or `m`.
    private static func normalSize(_ text: String) -> String? {
        guard let (digits, rest) = number(text) else { return nil }
        guard let first = rest.first else { return digits }
        if rest == "b" || rest == "byte" || rest == "bytes" { return digits }
        guard "kmgt".contains(first), ["", "b", "ib"].contains(rest.dropFirst()) else { return nil }
        return "\(digits)\(first.uppercased())iB"
    }

    // MARK: Files

    /// Returns the remedy of a file that cannot be read.
    package static func file(at path: String) -> String {
        path.hasPrefix("/") ? "check the path" : "check the path, which begins at the working directory"
    }
}
