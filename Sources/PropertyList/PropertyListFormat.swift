/// The formats that property lists are read in.
public enum PropertyListFormat: String, Sendable, Hashable, CaseIterable {
    /// XML, version 1.0.
    case xml
    /// Binary, version 00.
    case binary

    /// The format of a property list, by its first bytes: what does not call itself binary can only be XML.
    public init(of bytes: [UInt8]) {
        self = bytes.starts(with: Self.binarySignature) ? .binary : .xml
    }

    /// What every binary property list begins with; two digits of a version follow.
    static let binarySignature = Array("bplist".utf8)
}
