import HTTPSession

/// Lines of JSON, a format that the library does not have.
struct JSONLines: RequestSerializer, ResponseSerializer {
    let acceptableContentTypes = MediaRange("application/x-ndjson").map { [$0] }

    /// Sends the parameters as one line.
    func serialize(_ parameters: [UInt8]?) throws(RequestSerializationError) -> SerializedContent {
        guard let parameters else { return SerializedContent() }
        return SerializedContent(body: .bytes(parameters + Array("\n".utf8)), contentType: "application/x-ndjson")
    }

    /// Reads the lines as a JSON array.
    func serialize(
        _ content: [UInt8], contentType: MediaType?
    ) throws(ResponseSerializationError) -> SerializedResponse {
        guard content.last == UInt8(ascii: "\n") else {
            throw ResponseSerializationError("The last line is incomplete")
        }
        let lines = content.split(separator: UInt8(ascii: "\n"))
        var json = Array("[".utf8)
        json += lines.joined(separator: ",".utf8)
        json += "]".utf8
        return SerializedResponse(.json(json))
    }
}

/// Sends and reads a format of its own: `own-serializer [BASE-URL]`.
@main
enum OwnSerializer {
    /// A line of the sample upstream.
    struct Line: Decodable, Sendable {
        var line: Int
    }

    static func main() async throws {
        let baseURL = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8081"
        let hooks = SessionHooks(requestSerializer: JSONLines(), responseSerializer: JSONLines())
        let api = try Session(baseURL: baseURL, hooks: hooks)

        let lines = try await api.get("stream/3", as: [Line].self)
        print("read lines \(lines.map(\.line))")

        // This response is JSON: the choice of one request precedes the session's serializer.
        let options = RequestOptions(responseSerializer: .json)
        let sent = try await api.post("upload", parameters: ["event": "start"], options: options)
        print("sent \(sent.text ?? "nothing")")

        do {
            try await api.get("status/422")
        } catch {
            // The error has the response, with the readers of a good one.
            print("\(error.code.rawValue): \(error.response?.text ?? "no response")")
        }
    }
}
