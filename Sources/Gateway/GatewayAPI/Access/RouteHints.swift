import ErrandHTTPServer
import ErrandJSON
import HTTPTypes

/// The routes with which a request without one is compared, to name the one that it most likely means.
///
/// It knows patterns only, so that a hint repeats nothing of a request.
struct RouteHints: Sendable {
    /// A part of a path, up to the next slash or colon.
    private struct Word {
        var separator: Character
        var text: String

        var isParameter: Bool { text.hasPrefix("{") }
    }

    private struct Candidate {
        var method: HTTPRequest.Method
        var pattern: String
        var words: [Word]
    }

    private let candidates: [Candidate]

    /// The longest path that is compared, in words, and the longest word in bytes.
    private static let limits = (words: 8, bytes: 64)
    /// The greatest distance of a route that is suggested.
    private static let maxDistance = 4

    /// Creates the hints of some routes.
    init(_ routes: [APIRoute]) {
        candidates = routes.map { route in
            let segments = route.pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            return Candidate(
                method: route.method, pattern: route.pattern, words: Self.words(of: segments.map(String.init)))
        }
    }

    /// Returns the closest route as a method and a pattern, such as `POST /v1/tasks:batch`; `nil` if none is close.
    ///
    /// - Parameter onlyMethod: True to suggest only routes with the method of the request.
    func closest(to head: RequestHead, onlyMethod: Bool = false) -> String? {
        var words = Self.words(of: head.target.segments)
        guard words.count <= Self.limits.words, words.allSatisfy({ $0.text.utf8.count <= Self.limits.bytes }) else {
            return nil
        }
        var missing = 0
        if words.count > 1, words.last?.text == "" {
            words.removeLast()
            missing += 1
        }
        var best: (distance: Int, candidate: Candidate)?
        for candidate in candidates where !onlyMethod || candidate.method == head.method {
            guard var distance = Self.distance(from: words, to: candidate.words) else { continue }
            distance = 2 * (distance + missing) + (candidate.method == head.method ? 0 : 1)
            if distance < best?.distance ?? .max { best = (distance, candidate) }
        }
        guard let best, best.distance <= 2 * Self.maxDistance + 1 else { return nil }
        return "\(best.candidate.method.rawValue) \(best.candidate.pattern)"
    }

    private static func words(of segments: [String]) -> [Word] {
        segments.flatMap { segment in
            segment.split(separator: ":", omittingEmptySubsequences: false).enumerated().map { index, text in
                Word(separator: index == 0 ? "/" : ":", text: String(text))
            }
        }
    }

    /// Returns the number of differences between a path and a pattern: another separator or other capitals is one,
    /// a misspelt word two, a missing version one.
    private static func distance(from words: [Word], to pattern: [Word]) -> Int? {
        if words.count == pattern.count { return sum(words[...], pattern[...]) }
        guard words.count == pattern.count - 1, pattern.first?.text == "v1" else { return nil }
        return sum(words[...], pattern.dropFirst()).map { $0 + 1 }
    }

    private static func sum(_ words: ArraySlice<Word>, _ pattern: ArraySlice<Word>) -> Int? {
        var sum = 0
        for (word, expected) in zip(words, pattern) {
            if expected.isParameter {
                guard !word.text.isEmpty, word.separator == expected.separator else { return nil }
                continue
            }
            if word.separator != expected.separator { sum += 1 }
            if word.text != expected.text {
                if word.text.lowercased() == expected.text {
                    sum += 1
                } else if closestMatch(to: word.text, among: [expected.text]) != nil {
                    sum += 2
                } else {
                    return nil
                }
            }
        }
        return sum
    }
}
