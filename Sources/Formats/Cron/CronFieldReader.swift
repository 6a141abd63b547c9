/// A parser of one field of an expression: a list of values, ranges and steps.
struct CronFieldReader {
    private let kind: CronFieldKind
    private var rest: Substring
    private let start: Int
    private let length: Int

    /// - Parameters:
    ///   - text: The field.
    ///   - column: The column of its first character.
    init(_ kind: CronFieldKind, _ text: Substring, column: Int) {
        self.kind = kind
        rest = text
        start = column
        length = text.count
    }

    private var column: Int { start + length - rest.count }

    /// Parses the complete field.
    mutating func read() throws(CronError) -> CronField {
        var field = CronField()
        field.isStar = rest.first == "*" || rest.first == "?"
        repeat {
            for value in try item() { field.insert(kind == .dayOfWeek ? value % 7 : value) }
        } while skip(",")
        guard rest.isEmpty else { throw unexpected() }
        return field
    }

    /// Parses `*`, `5`, or `1-5`; `*` and the range may have a step.
    private mutating func item() throws(CronError) -> StrideThrough<Int> {
        let begin = column
        if skip("*") { return stride(from: kind.all.lowerBound, through: kind.all.upperBound, by: try step()) }
        if rest.first == "?" {
            guard kind.isDay else { throw error("? is allowed in the two day fields only") }
            rest.removeFirst()
            return stride(from: kind.all.lowerBound, through: kind.all.upperBound, by: try step())
        }
        let first = try value()
        guard skip("-") else {
            if rest.first == "/" {
                throw error("a step needs a range before it, for example \(first)-\(kind.all.upperBound)")
            }
            return stride(from: first, through: first, by: 1)
        }
        // After another day, the name at the end of a range is the Sunday that follows it.
        let endsWithSunday = kind == .dayOfWeek && first > 0 && rest.prefix(3).uppercased() == "SUN"
        let last = endsWithSunday ? try value() + 7 : try value()
        guard first <= last else { throw error("the range is reversed", at: begin) }
        return stride(from: first, through: last, by: try step())
    }

    /// Parses the number after a `/`; returns 1 if there is none.
    private mutating func step() throws(CronError) -> Int {
        guard skip("/") else { return 1 }
        let begin = column
        let digits = take(while: Self.isDigit)
        guard !digits.isEmpty else { throw unexpected("the number of a step") }
        guard let step = Int(digits), (1...kind.range.upperBound).contains(step) else {
            throw error("expected a step from 1 to \(kind.range.upperBound), found \(digits)", at: begin)
        }
        return step
    }

    /// Parses a number, or a name of one.
    private mutating func value() throws(CronError) -> Int {
        let begin = column
        let digits = take(while: Self.isDigit)
        if !digits.isEmpty {
            guard let number = Int(digits), kind.range.contains(number) else {
                let range = kind.range
                throw error(
                    "the \(kind.name) must be \(range.lowerBound) to \(range.upperBound), found \(digits)", at: begin)
            }
            return number
        }
        let word = take { $0.isASCII && $0.isLetter }
        guard !word.isEmpty else { throw unexpected("a value") }
        guard let place = kind.words.firstIndex(of: word.uppercased()) else {
            let known = kind.words.isEmpty ? "a number" : "\(kind.words[0]) to \(kind.words[kind.words.count - 1])"
            throw error("unknown \(kind.name) \"\(word)\"; expected \(known)", at: begin)
        }
        return place + kind.range.lowerBound
    }

    // MARK: Characters

    private static func isDigit(_ character: Character) -> Bool {
        // Of characters, also a digit with a combining mark is between "0" and "9".
        character.isASCII && character.isNumber
    }

    /// Takes the characters that meet a condition, but no more than a message can show.
    private mutating func take(while condition: (Character) -> Bool) -> Substring {
        let taken = rest.prefix(16).prefix(while: condition)
        rest = rest[taken.endIndex...]
        return taken
    }

    private mutating func skip(_ character: Character) -> Bool {
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }

    private func unexpected(_ expected: String = "a comma or the end of the field") -> CronError {
        let found = rest.first.map { "\"\($0)\"" } ?? "nothing"
        return error("expected \(expected) in the \(kind.name), found \(found)")
    }

    private func error(_ reason: String, at column: Int? = nil) -> CronError {
        CronError(column: column ?? self.column, reason: reason)
    }
}
