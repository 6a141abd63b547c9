/// How much parameters may become.
///
/// A name is written again for each element below it, and an indentation for each line: without a limit a few
/// kilobytes of JSON could become gigabytes. What merely passes through never reaches it.
struct OutputLimit: Sendable, Hashable {
    /// What any parameters may become, in bytes.
    static let floor = 16 * 1024 * 1024
    /// What large parameters may become, in multiples of what they are.
    static let growth = 4

    /// The most bytes.
    let maxBytes: Int

    /// - Parameter inputBytes: How long the JSON of the parameters is.
    init(inputBytes: Int) {
        maxBytes = max(Self.floor, inputBytes * Self.growth)
    }

    func check(_ bytes: Int) throws(RequestSerializationError) {
        guard bytes <= maxBytes else {
            throw RequestSerializationError(message: "The parameters would become more than \(maxBytes) bytes")
        }
    }
}
