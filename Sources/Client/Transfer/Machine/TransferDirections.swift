/// The directions of a transfer, as seen from the client.
public struct TransferDirections: OptionSet, Sendable, Hashable {
    /// One bit for each direction.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The response.
    public static let receive = TransferDirections(rawValue: 1)
    /// The content of the request.
    public static let send = TransferDirections(rawValue: 2)
    /// Both directions.
    public static let both: TransferDirections = [.receive, .send]
}
