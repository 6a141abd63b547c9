import HTTPSession

/// Requests with responses as Swift values: `typed-json [BASE-URL]`.
@main
enum TypedJSON {
    /// The members of the sample upstream's description of a request that this program uses.
    struct Description: Decodable, Sendable {
        var method: String
        var url: String
        var args: [[String]]
        var json: Order?
    }

    /// The content that this program sends.
    struct Order: Codable, Sendable {
        var article: String
        var count: Int
    }

    static func main() async throws {
        let baseURL = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8081"
        let api = try Session(baseURL: baseURL)

        let found = try await api.get(
            "anything/articles", parameters: ["tags": ["paper", "blue"], "page": 2], as: Description.self)
        print(found.method, found.url)
        for pair in found.args { print("  \(pair.joined(separator: " = "))") }

        let order = Order(article: "pencil", count: 12)
        let stored = try await api.post("anything/orders", body: .encoding(order), as: Description.self)
        print(stored.method, stored.url)
        if let order = stored.json { print("  \(order.count) × \(order.article)") }

        do {
            try await api.get("status/404")
        } catch {
            // A request throws a SessionError: a stable code for programs, a sentence for people.
            print("\(error.code.rawValue): \(error.message)")
        }
    }
}
