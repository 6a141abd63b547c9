import HTTPSession

/// A response that is read while it comes: `streamed-response [BASE-URL]`.
@main
enum StreamedResponseExample {
    static func main() async throws {
        let baseURL = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8081"
        let api = try Session(baseURL: baseURL)

        let response = try await api.stream("stream/3")
        print(response.head.status, response.head.headers[.contentType] ?? "")
        for try await line in response.lines() { print(line) }

        // A slow reader slows the upstream down, and leaving the loop cancels the transfer.
        let endless = try await api.stream("bytes/1099511627776")
        var received = 0
        for try await bytes in endless {
            received += bytes.count
            if received >= 1_000_000 { break }
        }
        print("enough after \(received) of \(endless.head.headers[.contentLength] ?? "?") bytes")

        do throws(SessionError) {
            _ = try await api.stream("status/404")
        } catch {
            print("\(error.code.rawValue): \(error.response?.status ?? 0)")
        }
    }
}
