import ErrandText

/// A reader that takes the members of an object one by one and reports all faults.
///
/// Each method returns `nil` for a member that is missing, invalid, or `null` where that means missing; faults are
/// reported at their pointer. ``finish(refusing:)`` reports the members that were not taken.
public struct JSONObjectReader {
    /// The location of the object.
    public let pointer: JSONPointer
    private let object: JSONObject
    private let problems: JSONProblems
    /// The names that were read, in the order of the program, so that suggestions do not depend on the document.
    ///
    /// A list that is searched from its start: a program reads few names, and a table would cost more.
    private var names: [String] = []
    /// True if ``rest()`` has taken all members.
    private var isRestTaken = false

    /// Creates a reader of an object.
    ///
    /// A repeated name is reported once, because it is unclear which of its values is meant.
    public init(_ object: JSONObject, at pointer: JSONPointer = JSONPointer(), reporting problems: JSONProblems) {
        self.object = object
        self.pointer = pointer
        self.problems = problems
        var reported: Set<ExactText> = []
        for member in object.repeatedMembers where reported.insert(ExactText(member.key)).inserted {
            problems.report(pointer.appending(member.key), "the member is given more than once")
        }
    }

    /// Creates a reader of a value that must be an object; otherwise reports a fault and returns `nil`.
    public init?(_ value: JSONValue, at pointer: JSONPointer = JSONPointer(), reporting problems: JSONProblems) {
        guard let object = value.object else {
            problems.report(pointer, "expected an object, found \(value.kindDescription)")
            return nil
        }
        self.init(object, at: pointer, reporting: problems)
    }

    // MARK: Members

    /// Reads any value, `null` included.
    public mutating func value(_ name: String) -> JSONValue? {
        note(name)
        return object[name]
    }

    /// Reads a string.
    public mutating func string(_ name: String) -> String? {
        take(name, "a string", by: \.string)
    }

    /// Reads an object, and returns a reader of it.
    public mutating func object(_ name: String) -> JSONObjectReader? {
        let problems = problems
        return take(name, "an object", by: \.object).map {
            JSONObjectReader($0, at: pointer.appending(name), reporting: problems)
        }
    }

    /// Reads an integer in a range.
    public mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
        take(name, "an integer from \(range.lowerBound) to \(range.upperBound)", showing: Quoted(numbers: true)) {
            value in
            guard case .number(let number) = value.kind, let integer = number.int, range.contains(integer) else {
                return nil
            }
            return integer
        }
    }

    /// Reads a string and converts it.
    ///
    /// - Parameters:
    ///   - expectation: The expectation in messages, as in `expected a duration such as 30s`.
    ///   - parse: Converts a string; returns `nil` if it is invalid.
    public mutating func parsed<Value>(
        _ name: String, expecting expectation: @autoclosure () -> String, _ parse: (JSONValue) -> Value?
    ) -> Value? {
        take(name, expectation(), showing: Quoted(numbers: true, strings: true), by: parse)
    }

    /// Reads an array; an invalid item is reported at its location and omitted.
    ///
    /// - Parameters:
    ///   - expectation: The expectation of an item in messages, as in `expected a method such as GET`.
    ///   - read: Converts an item; returns `nil` if it is invalid.
    public mutating func list<Item>(
        _ name: String, expecting expectation: String, _ read: (JSONValue) -> Item?
    ) -> [Item]? {
        take(name, "an array", by: \.array)?.enumerated().compactMap { index, item in
            if let item = read(item) { return item }
            report(name, item: index, expecting: expectation, found: item)
            return nil
        }
    }

    /// Reports an invalid item of an array.
    ///
    /// - Parameters:
    ///   - name: The name of the member that is the array.
    ///   - index: The position of the item.
    ///   - expectation: The expectation of an item in messages, as in `expected a method such as GET`.
    ///   - item: The item, which the message quotes if it is a number or a short string.
    public func report(_ name: String, item index: Int, expecting expectation: String, found item: JSONValue) {
        let found = Self.description(of: item, showing: Quoted(numbers: true, strings: true))
        problems.report(pointer.appending(name).appending(index), "expected \(expectation), found \(found)")
    }

    /// Reads one of a fixed set of strings.
    public mutating func choice<Value>(
        _ name: String, _ type: Value.Type, refusing refused: [String: String] = [:]
    ) -> Value? where Value: RawRepresentable<String> & CaseIterable {
        if let word = object[name]?.string, let reason = refused[word] {
            note(name)
            report(name, reason)
            return nil
        }
        return take(
            name, Value.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "),
            showing: Quoted(strings: true)
        ) { $0.string.flatMap(Value.init(rawValue:)) }
    }

    private mutating func take<Value>(
        _ name: String, _ expectation: @autoclosure () -> String, showing quoted: Quoted = Quoted(),
        by convert: (JSONValue) -> Value?
    ) -> Value? {
        note(name)
        guard let value = object[name], !value.isNull else { return nil }
        if let converted = convert(value) { return converted }
        report(name, "expected \(expectation()), found \(Self.description(of: value, showing: quoted))")
        return nil
    }

    private mutating func note(_ name: String) {
        guard !isTaken(name) else { return }
        if names.isEmpty { names.reserveCapacity(8) }
        names.append(name)
    }

    /// Returns true if the member with this name was read.
    private func isTaken(_ name: String) -> Bool {
        let name = ExactText(name)
        return names.contains { ExactText($0) == name }
    }

    /// The types of scalars that a message may quote.
    private struct Quoted {
        var numbers = false
        var strings = false
    }

    /// Returns a description of a value for a message.
    ///
    /// Only a short value of the right type is quoted: text in an unexpected place may be a misplaced secret.
    private static func description(of value: JSONValue, showing quoted: Quoted) -> String {
        switch value.kind {
        case .string(let text) where quoted.strings:
            text.utf8.count <= 64 ? "\"\(text)\"" : "a string of \(text.count) characters"
        case .number(let number) where quoted.numbers && number.lexeme.utf8.count <= 32: number.lexeme
        default: value.kindDescription
        }
    }

    // MARK: The rest

    /// Returns true if the object has a member with this name, `null` or not.
    public func has(_ name: String) -> Bool {
        object[name] != nil
    }

    /// Returns true if the object has a member with this name that is not `null`.
    public func says(_ name: String) -> Bool {
        object[name].map { !$0.isNull } ?? false
    }

    /// Takes all remaining members in order, for objects with user-defined names.
    public mutating func rest() -> [JSONMember] {
        guard !isRestTaken else { return [] }
        isRestTaken = true
        return names.isEmpty ? object.members : object.members.filter { !isTaken($0.key) }
    }

    /// Reports a fault of a member.
    public func report(_ name: String, _ detail: @autoclosure () -> String) {
        problems.report(pointer.appending(name), detail())
    }

    /// Reports a fault of the object as a whole.
    public func report(_ detail: @autoclosure () -> String) {
        problems.report(pointer, detail())
    }

    /// Reports the members that were not taken, each name once.
    ///
    /// - Parameter refused: Known names that are not allowed here, with the reason to report. All others are reported
    ///   as unknown, with the name that was probably meant.
    public func finish(refusing refused: [String: String] = [:]) {
        guard !isRestTaken else { return }
        var reported: Set<ExactText> = []
        for member in object.members where !isTaken(member.key) && reported.insert(ExactText(member.key)).inserted {
            guard !problems.isFull else { return }
            if let reason = refused[member.key] {
                report(member.key, reason)
            } else if let meant = likelyName(of: member.key, among: names) {
                report(member.key, "unknown member; did you mean \"\(meant)\"?")
            } else {
                report(member.key, "unknown member")
            }
        }
    }
}
