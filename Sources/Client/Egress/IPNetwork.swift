import ErrandText

/// A network: an address and the length of its prefix (RFC 4632, RFC 4291 §2.3).
public struct IPNetwork: Sendable, Hashable {
    /// The address, with zeros after the prefix.
    public let address: IPAddress
    /// The length of the prefix in bits: 0…32 or 0…128.
    public let prefixLength: Int

    /// Creates the network of all addresses with the same prefix; lengths beyond the address's are reduced to it.
    public init(containing address: IPAddress, prefixLength: Int) {
        let length = min(max(prefixLength, 0), address.bitWidth)
        self.address = address.masked(to: length)
        self.prefixLength = length
    }

    /// Parses a network such as `10.0.0.0/8` or `2001:db8::/32`, or a single address, which forms a network by itself.
    ///
    /// Networks of IPv4-mapped addresses, such as `::ffff:10.0.0.0/104`, become the corresponding IPv4 networks.
    /// - Throws: ``IPNetworkError`` if the address or the length is invalid, or if bits after the prefix are set, which
    ///   is usually a mistake.
    public init(_ text: some StringProtocol) throws(IPNetworkError) {
        let slash = text.utf8.firstIndex(of: UInt8(ascii: "/"))
        guard let address = IPAddress(text[..<(slash ?? text.endIndex)]) else { throw .notAnAddress }
        var length = address.bitWidth
        if let slash {
            let digits = text[text.utf8.index(after: slash)...]
            guard let written = Self.length(digits), written <= length else { throw .badPrefix }
            length = written
        }
        guard address.masked(to: length) == address else { throw .bitsBehindPrefix }
        if case .v6(0, let low) = address, low >> 32 == 0xFFFF, length >= 96 {
            self.init(containing: .v4(UInt32(truncatingIfNeeded: low)), prefixLength: length - 96)
        } else {
            self.init(containing: address, prefixLength: length)
        }
    }

    /// Parses one to three decimal digits without leading zeros.
    private static func length(_ text: some StringProtocol) -> Int? {
        guard text.utf8.count <= 3, text == "0" || text.utf8.first != UInt8(ascii: "0") else { return nil }
        return Int(decimalDigits: text)
    }

    /// Returns whether an address is of the same version and has the network's prefix.
    public func contains(_ other: IPAddress) -> Bool {
        // Masking keeps the version, and addresses of different versions are never equal.
        other.masked(to: prefixLength) == address
    }
}

extension IPNetwork: CustomStringConvertible {
    /// The network as `10.0.0.0/8`; without the length if it consists of one address.
    public var description: String {
        prefixLength == address.bitWidth ? "\(address)" : "\(address)/\(prefixLength)"
    }
}

/// The reason for which a text is not a network.
///
/// It never repeats the text.
public enum IPNetworkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The address is invalid or written ambiguously.
    case notAnAddress
    /// The prefix length is not a valid number of bits.
    case badPrefix
    /// Bits after the prefix are set.
    case bitsBehindPrefix

    /// A sentence without a full stop.
    public var description: String {
        switch self {
        case .notAnAddress: "invalid address; expected four decimal numbers, or groups of hexadecimal digits"
        case .badPrefix: "invalid prefix length after the slash; expected at most 32 for IPv4, 128 for IPv6"
        case .bitsBehindPrefix: "the address has bits set after the prefix; expected the first address of the network"
        }
    }
}
