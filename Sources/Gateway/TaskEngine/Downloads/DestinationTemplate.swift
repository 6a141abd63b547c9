import ErrandDownloads
import ErrandText

/// The destination of a downloaded file, relative to the folder of downloads, with words that each task replaces.
///
/// `{session}/{date}/{task_id}-{filename}`, for example. No template, and no value of a word, leads out of the folder
/// by its text: each component is a ``FileName``. Symbolic links are a matter of the file system.
package struct DestinationTemplate: Sendable, Hashable {
    /// A word, which is written in braces.
    package enum Word: String, Sendable, CaseIterable {
        /// The task's identifier.
        case taskID = "task_id"
        /// The name of the task's session.
        case session
        /// The day on which the task was created, in UTC: `2026-11-21`.
        case date
        /// The name that the response or its URL suggests.
        case filename
    }

    private enum Part: Sendable, Hashable {
        case text(String)
        case word(Word)
    }

    private let components: [[Part]]

    /// The longest template, in bytes of UTF-8.
    package static let maxBytes = 1024
    /// The maximum number of names, of which the last is the file's.
    package static let maxNames = 32

    /// Parses a template.
    ///
    /// - Throws: The first problem, also if no value of the words gives an allowed destination.
    package init(_ text: String) throws(DestinationProblem) {
        guard !text.isEmpty else { throw DestinationProblem("is empty") }
        guard text.utf8.count <= Self.maxBytes else {
            throw DestinationProblem("is longer than \(Self.maxBytes) bytes")
        }
        guard !text.isAbsolutePath else { throw DestinationProblem("is an absolute path") }
        let names = text.pathNames(keepingEmpty: true)
        guard names.count <= Self.maxNames else { throw DestinationProblem("has more than \(Self.maxNames) names") }
        var components: [[Part]] = []
        for name in names { components.append(try Self.parts(of: name)) }
        self.components = components
        _ = try path(for: .sample)
    }

    private static func parts(of name: String) throws(DestinationProblem) -> [Part] {
        var parts: [Part] = []
        var rest = name.unicodeScalars[...]
        while let next = rest.first {
            let end: Substring.UnicodeScalarView.Index
            if next == "{" {
                guard let brace = rest.firstIndex(of: "}") else { throw DestinationProblem("has an unmatched brace") }
                parts.append(.word(try word(String(rest[..<brace].dropFirst()))))
                end = rest.index(after: brace)
            } else {
                let literal = rest.prefix { $0 != "{" }
                guard !literal.contains("}") else { throw DestinationProblem("has an unmatched brace") }
                parts.append(.text(String(literal)))
                end = literal.endIndex
            }
            rest = rest[end...]
        }
        return parts
    }

    private static func word(_ text: String) throws(DestinationProblem) -> Word {
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
            throw DestinationProblem("has the unknown word {\(text)}, expected \(words)")
        }
        return word
    }

    /// Replaces the words.
    ///
    /// A suggested file name is shortened to the room that the rest of its component leaves.
    ///
    /// - Throws: The first component that is not the name of a file.
    package func path(for values: DestinationValues) throws(DestinationProblem) -> DestinationPath {
        var names: [FileName] = []
        for parts in components { names.append(try Self.name(of: parts, values)) }
        return DestinationPath(names)
    }

    private static func name(
        of parts: [Part], _ values: DestinationValues
    ) throws(DestinationProblem) -> FileName {
        let suggested = fileName(in: parts, values)?.text ?? ""
        let text = parts.map { part in
            switch part {
            case .text(let literal): literal
            case .word(.taskID): values.taskID
            case .word(.session): values.session
            case .word(.date): values.date
            case .word(.filename): suggested
            }
        }.joined()
        do throws(FileNameProblem) {
            guard !suggested.isEmpty || !parts.contains(.word(.filename)) else { throw FileNameProblem.tooLong }
            return try FileName(text)
        } catch {
            throw DestinationProblem("has a name that \(error)")
        }
    }

    /// Returns the suggested name, as long as its component allows; `nil` if there is no room for one.
    private static func fileName(in parts: [Part], _ values: DestinationValues) -> FileName? {
        var room = FileName.maxBytes
        var count = 0
        for part in parts {
            switch part {
            case .text(let literal): room -= literal.utf8.count
            case .word(.taskID): room -= values.taskID.utf8.count
            case .word(.session): room -= values.session.utf8.count
            case .word(.date): room -= values.date.utf8.count
            case .word(.filename): count += 1
            }
        }
        return count == 0 ? nil : values.fileNames.name(maxBytes: room / count)
    }
}

/// The reason for which a text is not a destination, as the end of a sentence about it.
package struct DestinationProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason, such as `is an absolute path`.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
