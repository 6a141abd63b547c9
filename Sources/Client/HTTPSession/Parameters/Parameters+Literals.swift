// Literals such as `["page": 2, "tags": ["a", "b"], "owner": ["id": 1.5, "name": nil]]`.

extension Parameters.Value: ExpressibleByNilLiteral {
    /// Creates ``null``.
    public init(nilLiteral: ()) {
        self = .null
    }
}

extension Parameters.Value: ExpressibleByBooleanLiteral {
    /// Creates a ``bool(_:)``.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension Parameters.Value: ExpressibleByIntegerLiteral {
    /// Creates an ``int(_:)``.
    public init(integerLiteral value: Int) {
        self = .int(value)
    }
}

extension Parameters.Value: ExpressibleByFloatLiteral {
    /// Creates a ``double(_:)``: `1.10` becomes `1.1`; use ``number(_:)`` to retain the spelling.
    public init(floatLiteral value: Double) {
        self = .double(value)
    }
}

extension Parameters.Value: ExpressibleByStringInterpolation {
    /// Creates a ``string(_:)``.
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension Parameters.Value: ExpressibleByArrayLiteral {
    /// Creates an ``array(_:)``.
    public init(arrayLiteral elements: Self...) {
        self = .array(elements)
    }
}

extension Parameters.Value: ExpressibleByDictionaryLiteral {
    /// Creates an ``object(_:)``, its members in the order of the literal.
    public init(dictionaryLiteral elements: (String, Self)...) {
        self = .object(Parameters(elements.map { Parameters.Member($0, $1) }))
    }
}
