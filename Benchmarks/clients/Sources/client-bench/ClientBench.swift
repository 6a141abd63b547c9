import Glibc

/// Makes requests with one of the compared clients, and prints the time that they took.
///
/// `get` makes N small GETs, C at a time; `file` downloads a file. `Benchmarks/clients.sh` runs the clients in turn.
@main
struct ClientBench {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let name = arguments.first, arguments.count == 4 || arguments.count == 5 else {
            print("usage: client-bench errand|async-http-client|URLSession get URL REQUESTS CONCURRENCY")
            print("       client-bench errand|async-http-client|URLSession file URL PATH")
            exit(64)
        }
        let concurrency = arguments.count == 5 ? Int(arguments[4]) : 1
        guard let concurrency, let client = try makeClient(name, arguments[2], connections: concurrency) else {
            print("client-bench: unknown client or number in: \(arguments.joined(separator: " "))")
            exit(64)
        }
        let watch = Stopwatch()
        switch (arguments[1], arguments.count) {
        case ("get", 5):
            guard let requests = Int(arguments[3]) else { exit(64) }
            try await get(arguments[2], requests: requests, at: concurrency, with: client)
            watch.printRate(of: requests)
        case ("file", 4):
            try await client.download(arguments[2], to: arguments[3])
            watch.printTime()
        default:
            exit(64)
        }
        try await client.close()
    }

    private static func makeClient(
        _ name: String, _ url: String, connections: Int
    ) throws -> (any MeasuredClient)? {
        switch name {
        case "errand": try ErrandClient(url, connections: connections)
        case "async-http-client": AsyncHTTPClientClient(connections: connections)
        case "URLSession": URLSessionClient(connections: connections)
        default: nil
        }
    }

    private static func get(
        _ url: String, requests: Int, at concurrency: Int, with client: any MeasuredClient
    ) async throws {
        try await withThrowingTaskGroup { group in
            for worker in 0..<concurrency {
                let share = requests / concurrency + (worker < requests % concurrency ? 1 : 0)
                group.addTask {
                    for _ in 0..<share {
                        guard try await client.get(url) > 0 else { throw EmptyResponse() }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
