/// A reader of what others write, with what it promises whatever they write.
///
/// Whatever an input makes the reader do, it does not crash: that is judged by libFuzzer and the sanitizers. The checks
/// here are about the rest, such as that limits hold, and that a value means the same once it is written and read again.
public struct FuzzTarget: Sendable {
    /// The name: of the folder with its seeds, of its dictionary, and of the program that fuzzes it.
    public let name: String
    /// The longest input that is tried, in bytes.
    public let maxBytes: Int
    private let check: @Sendable ([UInt8]) async throws -> Void

    /// Creates a target.
    ///
    /// - Parameters:
    ///   - maxBytes: Long enough for what matters; short inputs are tried more often.
    ///   - check: Throws a ``BrokenPromise``, or what should not have been thrown.
    init(_ name: String, maxBytes: Int = 2048, check: @escaping @Sendable ([UInt8]) async throws -> Void) {
        self.name = name
        self.maxBytes = maxBytes
        self.check = check
    }

    /// Has the reader read an input.
    ///
    /// - Throws: What it did not keep of its promises.
    public func run(_ input: [UInt8]) async throws {
        try await check(input)
    }

    /// All targets.
    public static let all: [FuzzTarget] = [
        .certificate, .challenges, .configuration, .egress, .eventStream, .image, .json, .mediaType, .pageToken,
        .propertyList,
        .range,
        .requestHead, .response, .responseHead, .setCookie, .task, .url, .xml, .yaml,
    ]

    /// The target of this name.
    public static func named(_ name: String) -> FuzzTarget? {
        all.first { $0.name == name }
    }
}
