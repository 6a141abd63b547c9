/// A parser of untrusted input with its guarantees.
///
/// libFuzzer and the sanitizers detect crashes. The checks here cover the other guarantees, for example that limits are
/// respected, and that values round-trip.
public struct FuzzTarget: Sendable {
    /// The name of the target, which is also that of its seed folder, its dictionary, and its executable.
    public let name: String
    /// The longest input, in bytes.
    public let maxBytes: Int
    private let check: @Sendable ([UInt8]) async throws -> Void

    /// Creates a target.
    ///
    /// - Parameters:
    ///   - maxBytes: The longest input. Shorter inputs are tested more often, so do not make it larger than necessary.
    ///   - check: Throws a ``BrokenPromise``, or an unexpected error.
    init(_ name: String, maxBytes: Int = 2048, check: @escaping @Sendable ([UInt8]) async throws -> Void) {
        self.name = name
        self.maxBytes = maxBytes
        self.check = check
    }

    /// Checks an input.
    ///
    /// - Throws: The violated guarantee.
    public func run(_ input: [UInt8]) async throws {
        try await check(input)
    }

    /// All targets.
    public static let all: [FuzzTarget] = [
        .certificate, .challenges, .configuration, .contentCoding, .contentRange, .download, .egress, .eventStream,
        .fileName, .image, .json, .mediaType, .multipart, .pageToken, .propertyList, .range, .requestHead,
        .requestStream, .response, .responseHead, .setCookie, .task, .traceContext, .url, .wireResponses, .xml, .yaml,
    ]

    /// Returns the target with this name.
    public static func named(_ name: String) -> FuzzTarget? {
        all.first { $0.name == name }
    }
}
