import HTTPSession

/// Pieces of content, each of which is made when it is wanted.
struct Pieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
    struct OutOfPaper: Error {}

    /// The number of pieces that are left.
    var left: Int
    /// True to fail after the last piece.
    var fails = false

    mutating func next() async throws -> [UInt8]? {
        guard left > 0 else {
            if fails { throw OutOfPaper() }
            return nil
        }
        left -= 1
        return [UInt8](repeating: UInt8(ascii: "."), count: 1_000_000)
    }

    func makeAsyncIterator() -> Pieces { self }
}

/// Sends content while it is made: `streamed-upload [BASE-URL]`.
@main
enum StreamedUpload {
    static func main() async throws {
        let baseURL = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8081"
        let api = try Session(baseURL: baseURL)

        let response = try await api.post("upload", body: .stream(Pieces(left: 8)))
        print(response.text ?? "")

        do {
            try await api.post("upload", body: .stream(Pieces(left: 1, fails: true)))
        } catch {
            // The error of the sequence is the cause of the request's error.
            print("\(error.code.rawValue): \(error.cause.map { "\($0)" } ?? "no cause")")
        }
    }
}
