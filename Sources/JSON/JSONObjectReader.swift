/// Takes the members out of an object one by one, and reports everything that is not as it should be.
///
/// Each method answers `nil` for a member that is missing, `null` where that is the same, or wrong; what is wrong is
/// reported at its pointer. ``finish(refusing:)`` reports the members that nobody took.
public struct JSONObjectReader {
    /// Where the object is.
    public let pointer: JSONPointer
    private let object: JSONObject
    private let problems: JSONProblems
    /// In the order of the program, so that what is suggested does not depend on the document.
    private var names: [String] = []
    private var taken: Set<JSONName> = []

    /// Begins with an object.
    ///
    /// A name that is repeated is reported, once: nobody can say which of its values is meant.
    public init(_ object: JSONObject, at pointer: JSONPointer = JSONPointer(), reporting problems: JSONProblems) {
        self.object = object
        self.pointer = pointer
        self.problems = problems
        var reported: Set<JSONName> = []
        for member in object.repeatedMembers where reported.insert(JSONName(member.key)).inserted {
            problems.report(pointer.appending(member.key), "the member is given more than once")
        }
    }

    /// Begins with a value that should be an object; `nil`, and reported, when it is something else.
    public init?(_ value: JSONValue, at pointer: JSONPointer = JSONPointer(), reporting problems: JSONProblems) {
        guard let object = value.object else {
            problems.report(pointer, "expected an object, found \(value.kindDescription)")
            return nil
        }
        self.init(object, at: pointer, reporting: problems)
    }

    // MARK: Members

    /// Any value, `null` included.
    public mutating func value(_ name: String) -> JSONValue? {
        note(name)
        return object[name]
    }

    /// A string.
    public mutating func string(_ name: String) -> String? {
        take(name, "a string", by: \.string)
    }

    /// An object, to be read in the same way.
    public mutating func object(_ name: String) -> JSONObjectReader? {
        let problems = problems
        return take(name, "an object", by: \.object).map {
            JSONObjectReader($0, at: pointer.appending(name), reporting: problems)
        }
    }

    /// An integer in a range.
    public mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
        take(name, "an integer from \(range.lowerBound) to \(range.upperBound)", showing: .number) { value in
            guard case .number(let number) = value.kind, let integer = number.int, range.contains(integer) else {
                return nil
            }
            return integer
        }
    }

    /// A string that means something.
    ///
    /// - Parameters:
    ///   - expectation: What is expected, as in `expected a duration such as 30s`.
    ///   - parse: The meaning of a string; `nil` when it has none.
    public mutating func parsed<Value>(
        _ name: String, expecting expectation: String, _ parse: (JSONValue) -> Value?
    ) -> Value? {
        take(name, expectation, showing: .number, .string, by: parse)
    }

    /// The items of an array; one that cannot be read is reported at its place and left out.
    ///
    /// - Parameters:
    ///   - expectation: What an item is, as in `expected a method such as GET`.
    ///   - read: The meaning of an item; `nil` when it has none.
    public mutating func list<Item>(
        _ name: String, expecting expectation: String, _ read: (JSONValue) -> Item?
    ) -> [Item]? {
        take(name, "an array", by: \.array)?.enumerated().compactMap { index, item in
            if let item = read(item) { return item }
            problems.report(pointer.appending(name).appending(index), "expected \(expectation)")
            return nil
        }
    }

    /// One of a few words.
    public mutating func choice<Value>(
        _ name: String, _ type: Value.Type, refusing refused: [String: String] = [:]
    ) -> Value? where Value: RawRepresentable<String> & CaseIterable {
        if let word = object[name]?.string, let reason = refused[word] {
            note(name)
            report(name, reason)
            return nil
        }
        return take(
            name, Value.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "), showing: .string
        ) { $0.string.flatMap(Value.init(rawValue:)) }
    }

    private mutating func take<Value>(
        _ name: String, _ expectation: @autoclosure () -> String, showing shown: Scalar...,
        by convert: (JSONValue) -> Value?
    ) -> Value? {
        note(name)
        guard let value = object[name], !value.isNull else { return nil }
        if let converted = convert(value) { return converted }
        report(name, "expected \(expectation()), found \(Self.description(of: value, showing: shown))")
        return nil
    }

    private mutating func note(_ name: String) {
        if taken.insert(JSONName(name)).inserted { names.append(name) }
    }

    /// The scalars that a message may quote.
    private enum Scalar {
        case number
        case string
    }

    /// A value in a message.
    ///
    /// Only what has the right type and the wrong value is quoted, and only when it is short: a text where none belongs
    /// may be a secret that took a wrong turn.
    private static func description(of value: JSONValue, showing shown: [Scalar]) -> String {
        switch value.kind {
        case .string(let text) where shown.contains(.string) && text.utf8.count <= 64: "\"\(text)\""
        case .number(let number) where shown.contains(.number) && number.lexeme.utf8.count <= 32: number.lexeme
        default: value.kindDescription
        }
    }

    // MARK: The rest

    /// Whether the object has a member of that name, `null` or not.
    public func has(_ name: String) -> Bool {
        object[name] != nil
    }

    /// Takes all members that nobody took, in order: for objects whose names are the author's.
    public mutating func rest() -> [JSONMember] {
        let members = object.members.filter { !taken.contains(JSONName($0.key)) }
        taken.formUnion(members.lazy.map { JSONName($0.key) })
        return members
    }

    /// Reports a fault of a member.
    public func report(_ name: String, _ detail: String) {
        problems.report(pointer.appending(name), detail)
    }

    /// Reports a fault of the object as a whole.
    public func report(_ detail: String) {
        problems.report(pointer, detail)
    }

    /// Reports the members that nobody took, each name once.
    ///
    /// - Parameter refused: Names that are known but cannot be given, with the reason to report. All others are unknown,
    ///   and are reported with the name that was probably meant.
    public func finish(refusing refused: [String: String] = [:]) {
        var reported = taken
        for member in object.members where reported.insert(JSONName(member.key)).inserted {
            guard !problems.isFull else { return }
            if let reason = refused[member.key] {
                report(member.key, reason)
            } else if let meant = closestMatch(to: member.key, among: names) {
                report(member.key, "unknown member; did you mean \"\(meant)\"?")
            } else {
                report(member.key, "unknown member")
            }
        }
    }
}
