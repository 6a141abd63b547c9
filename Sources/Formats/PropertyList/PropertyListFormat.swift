/// The supported formats of property lists.
public enum PropertyListFormat: String, Sendable, Hashable, CaseIterable {
    /// XML, version 1.0.
    case xml
    /// Binary, version 00.
    case binary

    /// Detects the format by the first bytes: a file without the binary signature can only be XML.
    public init(of bytes: [UInt8]) {
        self = bytes.starts(with: Self.binarySignature) ? .binary : .xml
    }

    /// The start of every binary property list; a version of two digits follows.
    static let binarySignature = Array("bplist".utf8)
}
