/// Returns the candidate that `word` was most likely meant to be, or `nil` if none is close.
///
/// The distance may be at most a third of the word's length, but 1 for words of two letters and 0 for a single letter.
/// It counts insertions, deletions, replacements and swaps of neighbours (Damerau and Levenshtein, optimal string
/// alignment). Case, and anything after the first 64 letters, is ignored. Of several equally close candidates the first
/// is returned.
public func closestMatch(to word: String, among candidates: some Sequence<String>) -> String? {
    let pattern = Array(word.lowercased().unicodeScalars.prefix(64))
    guard !pattern.isEmpty else { return nil }
    let limit = pattern.count == 1 ? 0 : max(1, pattern.count / 3)
    var best: (distance: Int, candidate: String)?
    for candidate in candidates {
        let letters = Array(candidate.lowercased().unicodeScalars.prefix(64))
        // The difference of the lengths is a lower bound of the distance.
        guard abs(letters.count - pattern.count) <= limit else { continue }
        let distance = editDistance(pattern, letters)
        if distance <= limit, distance < best?.distance ?? .max { best = (distance, candidate) }
    }
    return best?.candidate
}

/// Returns the name that `word` was most likely meant to be: the closest one (``closestMatch(to:among:)``), or else the
/// only one of which it is a part between underscores, such as `max_attempts` of `attempts`; `nil` if there is none.
public func likelyName(of word: String, among names: some Collection<String>) -> String? {
    if let closest = closestMatch(to: word, among: names) { return closest }
    let part = word.lowercased()
    let found = names.filter { $0.split(separator: "_").contains { $0 == part } }
    return found.count == 1 ? found.first : nil
}

private func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 1...left.count {
        var current = [row]
        for column in 1...right.count {
            let cost = left[row - 1] == right[column - 1] ? 0 : 1
            var distance = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + cost)
            if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                distance = min(distance, beforeLast[column - 2] + 1)
            }
            current.append(distance)
        }
        (beforeLast, last) = (last, current)
    }
    return last[right.count]
}
