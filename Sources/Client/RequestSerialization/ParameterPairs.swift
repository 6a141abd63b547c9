import ErrandJSON

/// A pair of a name and a value, not yet escaped.
package struct ParameterPair: Sendable, Hashable {
    /// The name, with the brackets or dots of nesting: `a[b][]`.
    package var name: String
    /// The value.
    package var value: Value

    /// The value of a pair.
    package enum Value: Sendable, Hashable {
        /// No value: the pair is written without `=`.
        case nothing
        /// A text.
        case text(String)
        /// The elements of an array, at least one, which are written with commas between them.
        case list([String])
    }
}

/// Parameters as pairs, by the rules of ``ParameterEncoding``.
package struct ParameterPairs: Sendable, Hashable {
    /// The pairs in the order in which they are written.
    package let pairs: [ParameterPair]

    /// The notation of pairs, which determines the size that is limited.
    package enum Notation: Sendable, Hashable {
        /// Escaped, with `=` and `&`: in queries and forms.
        case query
        /// Each as a part with its own head, and not escaped: in multipart bodies.
        case parts
    }

    /// Flattens the parameters of a form, a query or a multipart body.
    ///
    /// - Parameters:
    ///   - parameters: One JSON value, which must be an object.
    ///   - encoding: The rules for turning parameters into pairs.
    ///   - notation: The notation in which the pairs are written.
    package init(
        _ parameters: [UInt8], _ encoding: ParameterEncoding, for notation: Notation = .query
    ) throws(RequestSerializationError) {
        let document = try JSONDocument.parseParameters(parameters)
        guard let object = document.root.object else {
            let found = document.root.kindDescription
            throw RequestSerializationError(
                message: "Parameters in a URL, a form or a multipart body must be an object; found \(found)")
        }
        var flattening = Flattening(encoding, notation, limit: OutputLimit(inputBytes: parameters.count))
        try flattening.append(object)
        pairs = flattening.pairs
    }
}

/// A traversal of parameters.
///
/// The name of the current position is kept in one buffer, so that nesting costs the length of its names only once.
private struct Flattening {
    let encoding: ParameterEncoding
    let notation: ParameterPairs.Notation
    let limit: OutputLimit
    private(set) var pairs: [ParameterPair] = []
    /// The bytes of all pairs so far, as they are written.
    private var size = 0
    private var name: [UInt8] = []

    init(_ encoding: ParameterEncoding, _ notation: ParameterPairs.Notation, limit: OutputLimit) {
        self.encoding = encoding
        self.notation = notation
        self.limit = limit
    }

    /// Appends the outermost object.
    mutating func append(_ object: JSONObject) throws(RequestSerializationError) {
        for member in object.membersSortedByName {
            name = Array(member.key.utf8)
            try append(member.value, at: member.key)
        }
    }

    /// Appends the value of a member or an element; errors are reported for `key`.
    private mutating func append(_ value: JSONValue, at key: String) throws(RequestSerializationError) {
        do throws(RequestSerializationError) {
            try append(value)
        } catch {
            throw error.within(key)
        }
    }

    private mutating func append(_ value: JSONValue) throws(RequestSerializationError) {
        switch value.kind {
        case .null:
            try appendNull()
        case .bool(let bool):
            try append(.text(text(of: bool)))
        case .number(let number):
            try append(.text(number.lexeme))
        case .string(let string):
            try append(.text(string))
        case .array(let elements):
            try append(elements)
        case .object(let object):
            for member in object.membersSortedByName {
                let end = name.count
                appendToName(member)
                try append(member.value, at: member.key)
                name.removeLast(name.count - end)
            }
        }
    }

    private mutating func append(_ elements: [JSONValue]) throws(RequestSerializationError) {
        guard encoding.arrays != .comma else {
            let list = try list(of: elements)
            if !list.isEmpty { try append(.list(list)) }
            return
        }
        for (index, element) in elements.enumerated() {
            let end = name.count
            appendToName(index)
            do throws(RequestSerializationError) {
                try append(element)
            } catch {
                throw error.within("\(index)")
            }
            name.removeLast(name.count - end)
        }
    }

    private mutating func appendNull() throws(RequestSerializationError) {
        switch encoding.nulls {
        case .key: try append(.nothing)
        case .empty: try append(.text(""))
        case .drop: break
        case .literal: try append(.text("null"))
        }
    }

    private mutating func append(_ value: ParameterPair.Value) throws(RequestSerializationError) {
        size += byteCount(of: value)
        try limit.check(size)
        pairs.append(ParameterPair(name: String(decoding: name, as: UTF8.self), value: value))
    }

    /// Returns the number of bytes of a pair with the current name, as it is written.
    private func byteCount(of value: ParameterPair.Value) -> Int {
        switch notation {
        case .query:
            // With `=` and `&`.
            ParameterEscaping.byteCount(of: name, spaces: encoding.spaces) + 2
                + value.byteCount { ParameterEscaping.byteCount(of: $0.utf8, spaces: encoding.spaces) }
        case .parts:
            MultipartForm.byteCount(ofFieldNamed: name) + value.byteCount { $0.utf8.count }
        }
    }

    // MARK: Names

    private mutating func appendToName(_ member: JSONMember) {
        switch encoding.nested {
        case .brackets:
            name.append(UInt8(ascii: "["))
            name += member.key.utf8
            name.append(UInt8(ascii: "]"))
        case .dots:
            name.append(UInt8(ascii: "."))
            name += member.key.utf8
        }
    }

    private mutating func appendToName(_ index: Int) {
        switch encoding.arrays {
        case .brackets: name += "[]".utf8
        case .indices: name += "[\(index)]".utf8
        case .repeat, .comma: break
        }
    }

    // MARK: Values

    private func text(of bool: Bool) -> String {
        switch encoding.booleans {
        case .numeric: bool ? "1" : "0"
        case .literal: bool ? "true" : "false"
        }
    }

    private func list(of elements: [JSONValue]) throws(RequestSerializationError) -> [String] {
        var list: [String] = []
        for (index, element) in elements.enumerated() {
            switch element.kind {
            case .null:
                switch encoding.nulls {
                case .key, .empty: list.append("")
                case .drop: break
                case .literal: list.append("null")
                }
            case .bool(let bool): list.append(text(of: bool))
            case .number(let number): list.append(number.lexeme)
            case .string(let string): list.append(string)
            case .array(let inner) where inner.isEmpty: break
            case .object(let inner) where inner.members.isEmpty: break
            case .array, .object:
                throw RequestSerializationError(
                    message: "A comma-separated array cannot contain \(element.kindDescription)",
                    at: ["\(index)"])
            }
        }
        return list
    }
}

extension ParameterPair.Value {
    /// Returns the number of bytes of the texts and of the commas between them.
    ///
    /// - Parameter measure: Returns the number of bytes of a text.
    fileprivate func byteCount(_ measure: (String) -> Int) -> Int {
        switch self {
        case .nothing: 0
        case .text(let text): measure(text)
        case .list(let texts): texts.reduce(texts.count - 1) { $0 + measure($1) }
        }
    }
}
