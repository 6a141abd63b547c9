import ErrandText

/// Replaces `${NAME}`, `${NAME:-default}`, `${file:/path}` and `$$` in the text of a scalar.
///
/// Inserted text is not interpolated again. A value of this type is for the texts of one configuration: it reads each
/// file once, so that all settings see the same version of it, and limits the bytes of all results together.
struct Interpolation: Sendable {
    /// True if a result would have exceeded the limit: every later text is refused too.
    private(set) var isExhausted = false

    private let environment: [String: String]
    private let readFile: @Sendable (String) throws -> [UInt8]
    private let maxBytes: Int
    /// The bytes that results may still have.
    private var remainingBytes: Int
    /// The texts of the files that were read, or the reasons why they have none, by path.
    private var files: [ExactText: Result<String, Failure>] = [:]

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
        /// The failure of an empty text that has to mean something; `nil` for any other text, and if each `${…}` in it
        /// has an empty default.
        ///
        /// It names the first variable or file that is empty.
        var emptiness: Failure?
    }

    /// A text that replaces `${…}`.
    private struct Insertion {
        var text: String
        /// The failure of a variable or a file that is empty; `nil` for any other, and for a default.
        var emptiness: Failure?
    }

    /// Creates an interpolation for one configuration.
    ///
    /// - Parameters:
    ///   - environment: The environment.
    ///   - maxBytes: The most bytes of all results together, with the text around what is inserted. Default: 16 MiB.
    ///   - readFile: Reads a whole file.
    init(
        environment: [String: String], maxBytes: Int = 16 << 20,
        readFile: @escaping @Sendable (String) throws -> [UInt8]
    ) {
        self.environment = environment
        self.readFile = readFile
        self.maxBytes = maxBytes
        remainingBytes = maxBytes
    }

    /// Returns the text with all replacements.
    mutating func expand(_ text: String) throws(Failure) -> Expansion {
        var result = Expansion()
        var rest = Substring(text)
        while let dollar = rest.firstIndex(of: "$") {
            try append(rest[..<dollar], to: &result.text)
            rest = rest[rest.index(after: dollar)...]
            switch rest.first {
            case "$":
                try append("$", to: &result.text)
                rest.removeFirst()
            case "{":
                guard let end = rest.firstIndex(of: "}") else {
                    throw Failure(message: "expected } after ${; write $$ for a dollar sign")
                }
                let insertion = try insertion(for: rest[..<end].dropFirst())
                try append(Substring(insertion.text), to: &result.text)
                result.hasInsertion = true
                result.emptiness = result.emptiness ?? insertion.emptiness
                rest = rest[rest.index(after: end)...]
            default:
                throw Failure(message: "expected ${NAME} after $; write $$ for a dollar sign")
            }
        }
        try append(rest, to: &result.text)
        if !result.text.isEmpty { result.emptiness = nil }
        return result
    }

    /// Appends a part of a result, if all results together have room for it.
    ///
    /// What is appended counts also if the rest of the text turns out to be wrong.
    private mutating func append(_ part: Substring, to text: inout String) throws(Failure) {
        let count = part.utf8.count
        guard !isExhausted, count <= remainingBytes else {
            isExhausted = true
            throw Failure(message: "all values with ${…} together have more than \(maxBytes) bytes")
        }
        remainingBytes -= count
        text.append(contentsOf: part)
    }

    private mutating func insertion(for expression: Substring) throws(Failure) -> Insertion {
        if expression.hasPrefix("file:") {
            let path = expression.dropFirst("file:".count)
            guard !path.isEmpty else { throw Failure(message: "expected a path after ${file:") }
            guard !path.contains("${") else { throw Failure(message: "a path in ${file:…} cannot contain ${…}") }
            let text = try contents(of: String(path))
            guard text.isEmpty else { return Insertion(text: text) }
            let remedy = "give it content, or write \"${file:\(path)}\", with quotes, if it may be empty"
            return Insertion(text: "", emptiness: Failure(message: "the file \(path) is empty; \(remedy)"))
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
            guard value.isEmpty else { return Insertion(text: value) }
            let remedy = "give it a value, or write ${\(name):-} if it may be empty"
            return Insertion(
                text: "", emptiness: Failure(message: "the environment variable \(name) is empty; \(remedy)"))
        }
        let value = environment[name] ?? ""
        return Insertion(text: value.isEmpty ? String(rest.dropFirst(":-".count)) : value)
    }

    /// Returns the text of a file without its final line feed.
    mutating func contents(of path: String) throws(Failure) -> String {
        let key = ExactText(path)
        if let known = files[key] { return try known.get() }
        let result: Result<String, Failure>
        do throws(Failure) {
            result = .success(try read(path))
        } catch {
            result = .failure(error)
        }
        files[key] = result
        return try result.get()
    }

    private func read(_ path: String) throws(Failure) -> String {
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
