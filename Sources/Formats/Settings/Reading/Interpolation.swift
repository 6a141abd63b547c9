import ErrandText

/// Replaces `${NAME}`, `${NAME:-default}`, `${file:/path}` and `$$` in the text of a scalar.
///
/// Inserted text is not interpolated again.
struct Interpolation: Sendable {
    /// The environment.
    let environment: [String: String]
    /// Reads a whole file.
    let readFile: @Sendable (String) throws -> [UInt8]

    /// The error of a text that cannot be interpolated.
    ///
    /// The message contains only names and paths.
    struct Failure: Error {
        var message: String
    }

    /// A text with all replacements.
    struct Expansion {
        var text = ""
        /// True if something was inserted, and not only `$$` replaced.
        var hasInsertion = false
    }

    /// Returns the text with all replacements.
    func expand(_ text: String) throws(Failure) -> Expansion {
        var result = Expansion()
        var rest = Substring(text)
        while let dollar = rest.firstIndex(of: "$") {
            result.text += rest[..<dollar]
            rest = rest[rest.index(after: dollar)...]
            switch rest.first {
            case "$":
                result.text += "$"
                rest.removeFirst()
            case "{":
                guard let end = rest.firstIndex(of: "}") else {
                    throw Failure(message: "expected } after ${; write $$ for a dollar sign")
                }
                result.text += try value(of: rest[..<end].dropFirst())
                result.hasInsertion = true
                rest = rest[rest.index(after: end)...]
            default:
                throw Failure(message: "expected ${NAME} after $; write $$ for a dollar sign")
            }
        }
        result.text += rest
        return result
    }

    private func value(of expression: Substring) throws(Failure) -> String {
        if expression.hasPrefix("file:") {
            let path = expression.dropFirst("file:".count)
            guard !path.isEmpty else { throw Failure(message: "expected a path after ${file:") }
            guard !path.contains("${") else { throw Failure(message: "a path in ${file:…} cannot contain ${…}") }
            return try contents(of: String(path))
        }
        let name = String(expression.prefix { $0 != ":" })
        let rest = expression.dropFirst(name.count)
        guard Self.isName(name), rest.isEmpty || rest.hasPrefix(":-") else {
            throw Failure(message: "expected ${NAME}, ${NAME:-default} or ${file:/path}")
        }
        guard !rest.contains("${") else { throw Failure(message: "a default cannot contain ${…}") }
        if rest.isEmpty {
            guard let value = environment[name] else {
                throw Failure(
                    message: "the environment variable \(name) is not set; set it, or write ${\(name):-default}")
            }
            return value
        }
        let value = environment[name] ?? ""
        return value.isEmpty ? String(rest.dropFirst(":-".count)) : value
    }

    /// Returns the text of a file without its final line feed.
    func contents(of path: String) throws(Failure) -> String {
        let bytes: [UInt8]
        do {
            bytes = try readFile(path)
        } catch {
            throw Failure(message: "cannot read the file \(path): \(error)")
        }
        guard bytes.count <= FileContent.maxBytes else {
            throw Failure(message: "the file \(path) has more than \(FileContent.maxBytes) bytes")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(message: "the file \(path) is not UTF-8")
        }
        // A carriage return and a line feed are one character.
        return text.last == "\n" || text.last == "\r\n" ? String(text.dropLast()) : text
    }

    /// Returns true if the text is a name as POSIX defines it (XBD §3.216).
    private static func isName(_ text: String) -> Bool {
        let isWord = text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
        return isWord && text.first.map { !$0.isNumber } ?? false
    }
}
