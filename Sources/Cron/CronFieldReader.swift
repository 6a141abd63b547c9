/// Reads one field of an expression: a list of values, ranges and steps.
struct CronFieldReader {
    private let kind: CronFieldKind
    private var rest: Substring
    private let start: Int
    private let length: Int

    /// - Parameters:
    ///   - text: The field.
    ///   - column: Where it begins.
    init(_ kind: CronFieldKind, _ text: Substring, column: Int) {
        self.kind = kind
        rest = text
        start = column
        length = text.count
    }

    private var column: Int { start + length - rest.count }

    /// Reads the field to its end.
    mutating func read() throws(CronError) -> CronField {
        var field = CronField()
        field.isStar = rest.first == "*" || rest.first == "?"
        repeat {
            for value in try item() { field.insert(kind == .dayOfWeek ? value % 7 : value) }
        } while skip(",")
        guard rest.isEmpty else { throw unexpected() }
        return field
    }

    /// `*`, `5`, `1-5`, the last with a step behind it or not, and `*` as well.
    private mutating func item() throws(CronError) -> StrideThrough<Int> {
        let begin = column
        if skip("*") { return stride(from: kind.all.lowerBound, through: kind.all.upperBound, by: try step()) }
        if rest.first == "?" {
            guard kind.isDay else { throw error("? stands for any day, in the two day fields only") }
            rest.removeFirst()
            return stride(from: kind.all.lowerBound, through: kind.all.upperBound, by: try step())
        }
        let first = try value()
        guard skip("-") else {
            if rest.first == "/" {
                throw error("a step needs a range before it, such as \(first)-\(kind.all.upperBound)")
            }
            return stride(from: first, through: first, by: 1)
        }
        let endsWithSunday = kind == .dayOfWeek && rest.prefix(3).uppercased() == "SUN"
        let last = endsWithSunday ? try value() + 7 : try value()
        guard first <= last else { throw error("the range ends before it begins", at: begin) }
        return stride(from: first, through: last, by: try step())
    }

    /// The number behind a `/`; 1 without.
    private mutating func step() throws(CronError) -> Int {
        guard skip("/") else { return 1 }
        let begin = column
        let digits = take(while: Self.isDigit)
        guard !digits.isEmpty else { throw unexpected("the number of a step") }
        guard let step = Int(digits), (1...kind.range.upperBound).contains(step) else {
            throw error("a step of the \(kind.name) is 1 to \(kind.range.upperBound), found \(digits)", at: begin)
        }
        return step
    }

    /// A number, or a word that stands for one.
    private mutating func value() throws(CronError) -> Int {
        let begin = column
        let digits = take(while: Self.isDigit)
        if !digits.isEmpty {
            guard let number = Int(digits), kind.range.contains(number) else {
                let range = kind.range
                throw error(
                    "the \(kind.name) is \(range.lowerBound) to \(range.upperBound), found \(digits)", at: begin)
            }
            return number
        }
        let word = take { $0.isASCII && $0.isLetter }
        guard !word.isEmpty else { throw unexpected("a value") }
        guard let place = kind.words.firstIndex(of: word.uppercased()) else {
            let known = kind.words.isEmpty ? "numbers only" : kind.words.joined(separator: ", ")
            throw error("\"\(word)\" is no \(kind.name): there are \(known)", at: begin)
        }
        return place + kind.range.lowerBound
    }

    // MARK: Characters

    private static func isDigit(_ character: Character) -> Bool {
        ("0"..."9").contains(character)
    }

    /// Takes what meets a condition, but no more than a message can show.
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
