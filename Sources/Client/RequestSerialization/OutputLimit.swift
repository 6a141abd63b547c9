/// The largest encoded size of parameters.
///
/// A name is repeated for each element below it, an indentation on each line, and a head in each part. Without a limit,
/// a few kilobytes of JSON could become gigabytes. Content that is merely copied never reaches the limit, nor does text
/// that is merely escaped, which becomes at most three times as long.
struct OutputLimit: Sendable, Hashable {
    /// The size in bytes that all parameters may reach, however often their names are repeated.
    static let floor = 1 << 20
    /// The factor by which large parameters may grow.
    static let growth = 4

    /// The length of the JSON of the parameters.
    let inputBytes: Int
    /// The largest encoded size in bytes.
    let maxBytes: Int

    /// - Parameter inputBytes: The length of the JSON of the parameters.
    init(inputBytes: Int) {
        self.inputBytes = inputBytes
        maxBytes = max(Self.floor, inputBytes * Self.growth)
    }

    /// Throws if the encoded parameters have more than the permitted number of bytes.
    func check(_ bytes: Int) throws(RequestSerializationError) {
        guard bytes <= maxBytes else {
            throw RequestSerializationError(
                message: """
                    The encoded parameters may have at most \(maxBytes) bytes: 1 MiB, or four times the \(inputBytes) \
                    bytes of their JSON; found at least \(bytes)
                    """)
        }
    }
}
