/// The amount of response content that one transfer may take in one turn of the loop.
///
/// In one call libcurl reads a connection up to 100 times 16 KiB. If the content is chunked byte by byte, each read
/// yields thousands of pieces: some tenths of a second for each such transfer, in which nothing else runs.
struct TurnShare {
    /// The limits in bytes and in pieces.
    private static let maxBytes = 262_144
    private static let maxPieces = 1_024

    private var turn = 0
    private var bytes = 0
    private var pieces = 0

    /// Counts a piece of content.
    ///
    /// - Parameters:
    ///   - bytes: The length of the piece.
    ///   - turn: The number of the current turn.
    /// - Returns: True if the share of this turn is used up.
    mutating func take(_ bytes: Int, in turn: Int) -> Bool {
        if turn != self.turn { self = TurnShare(turn: turn) }
        self.bytes += bytes
        pieces += 1
        return self.bytes >= Self.maxBytes || pieces >= Self.maxPieces
    }

    init(turn: Int = 0) {
        self.turn = turn
    }
}
