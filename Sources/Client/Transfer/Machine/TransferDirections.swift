/// The directions of a transfer, as seen from the client.
package struct TransferDirections: OptionSet, Sendable, Hashable {
    /// One bit for each direction.
    package let rawValue: UInt8

    /// Creates a set from its bits.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The response.
    package static let receive = TransferDirections(rawValue: 1)
    /// The content of the request.
    package static let send = TransferDirections(rawValue: 2)
    /// Both directions.
    package static let both: TransferDirections = [.receive, .send]
}
