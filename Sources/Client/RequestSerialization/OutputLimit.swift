/// The largest encoded size of parameters.
///
/// A name is repeated for each element below it, and an indentation on each line. Without a limit, a few kilobytes of
/// JSON could become gigabytes. Content that is merely copied never reaches the limit.
struct OutputLimit: Sendable, Hashable {
    /// The size in bytes that all parameters may reach.
    static let floor = 16 * 1024 * 1024
    /// The factor by which large parameters may grow.
    static let growth = 4

    /// The largest encoded size in bytes.
    let maxBytes: Int

    /// - Parameter inputBytes: The length of the JSON of the parameters.
    init(inputBytes: Int) {
        maxBytes = max(Self.floor, inputBytes * Self.growth)
    }

    func check(_ bytes: Int) throws(RequestSerializationError) {
        guard bytes <= maxBytes else {
            throw RequestSerializationError(message: "The encoded parameters would exceed \(maxBytes) bytes")
        }
    }
}
