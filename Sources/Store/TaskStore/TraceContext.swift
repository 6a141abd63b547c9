import ErrandText

/// The place of a request in a distributed trace, as a client sends it (W3C Trace Context, level 1).
///
/// A value has the form in which it is stored, so that a task without a trace costs one reference.
package struct TraceContext: Sendable, Hashable {
    /// The identifier of the trace (16 bytes), the identifier of the parent (8 bytes), the flags, and the text of
    /// `tracestate`, which may be empty.
    package let bytes: [UInt8]

    /// The length of the identifier of a trace, in bytes.
    package static let traceIDLength = 16
    /// The length of the identifier of a parent, in bytes.
    package static let parentIDLength = 8

    private static let flagsOffset = traceIDLength + parentIDLength
    private static let stateOffset = flagsOffset + 1

    /// Creates a context from its stored form.
    ///
    /// - Returns: `nil` for an identifier of zeros, another flag than `sampled`, or a text that is not printable ASCII.
    package init?(bytes: [UInt8]) {
        guard bytes.count >= Self.stateOffset, bytes[Self.flagsOffset] <= 1,
            bytes[..<Self.traceIDLength].contains(where: { $0 != 0 }),
            bytes[Self.traceIDLength..<Self.flagsOffset].contains(where: { $0 != 0 }),
            bytes[Self.stateOffset...].allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        self.bytes = bytes
    }

    /// Creates a context from its parts.
    ///
    /// - Parameters:
    ///   - traceID: The identifier of the trace (16 bytes).
    ///   - parentID: The identifier of the client's operation (8 bytes).
    ///   - isSampled: True if the client may have recorded the trace.
    ///   - state: The value of `tracestate`; empty without one.
    /// - Returns: `nil` for other lengths, and as ``init(bytes:)``.
    package init?(traceID: [UInt8], parentID: [UInt8], isSampled: Bool, state: String = "") {
        guard traceID.count == Self.traceIDLength, parentID.count == Self.parentIDLength else { return nil }
        self.init(bytes: traceID + parentID + [isSampled ? 1 : 0] + state.utf8)
    }

    /// The identifier of the trace, as 32 lower-case digits.
    package var traceID: String { Hexadecimal.encode(Array(bytes[..<Self.traceIDLength])) }

    /// The identifier of the client's operation, as 16 lower-case digits.
    package var parentID: String { Hexadecimal.encode(Array(bytes[Self.traceIDLength..<Self.flagsOffset])) }

    /// True if the client may have recorded the trace (flag `sampled`).
    package var isSampled: Bool { bytes[Self.flagsOffset] == 1 }

    /// The value of `tracestate`; `nil` without one.
    package var state: String? {
        bytes.count == Self.stateOffset ? nil : String(decoding: bytes[Self.stateOffset...], as: UTF8.self)
    }
}
