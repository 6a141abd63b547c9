import ErrandTime

/// A finished operation of a trace, in the terms of OpenTelemetry.
struct Span: Sendable, Hashable {
    /// The side of the operation that a span describes, with the number that OTLP has for it.
    enum Kind: Int, Sendable, Hashable {
        /// An operation within the gateway.
        case `internal` = 1
        /// A request to another program.
        case client = 3
    }

    /// The value of an attribute.
    enum Value: Sendable, Hashable {
        case text(String)
        case number(Int)
    }

    /// A named value that describes the operation.
    struct Attribute: Sendable, Hashable {
        var name: String
        var value: Value
    }

    /// The identifier of the trace: 32 lower-case digits.
    var traceID: String
    /// The identifier of the operation: 16 lower-case digits.
    var id: String
    /// The identifier of the operation that this one belongs to.
    var parentID: String
    /// The value of `tracestate`; empty without one.
    var traceState = ""
    /// The name: of a low number of values, so that spans can be grouped by it.
    var name: String
    var kind: Kind
    var start: Timestamp
    var end: Timestamp
    var attributes: [Attribute] = []
    /// The description of the failure; `nil` for a success.
    var failure: String?
}
