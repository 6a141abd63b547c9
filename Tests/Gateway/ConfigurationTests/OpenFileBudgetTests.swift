import ErrandConfiguration
import ErrandHTTPServer
import Testing

@Suite("OpenFileBudget")
struct OpenFileBudgetTests {
    private func fit(
        _ limit: Int, connections: Int, attempts: Int
    ) throws -> (GatewayConfiguration, [String]) {
        let loader = ConfigurationLoader(environment: [:], readFile: { _ in [] })
        var configuration = try loader.load([], file: "config.yaml").configuration
        configuration.server.limits.maxConnections = connections
        configuration.dispatcher.maxRunning = attempts
        let changes = OpenFileBudget(limit: limit).fit(&configuration)
        return (configuration, changes)
    }

    @Test("keeps limits that fit")
    func fitting() throws {
        for (limit, connections, attempts) in [(1_048_576, 4096, 512), (10_000, 4096, 512), (65_536, 10_000, 10_000)] {
            let (configuration, changes) = try fit(limit, connections: connections, attempts: attempts)
            #expect(changes == [])
            #expect(configuration.server.limits.maxConnections == connections)
            #expect(configuration.dispatcher.maxRunning == attempts)
        }
    }

    @Test(
        "lowers limits that do not fit, reports them, and keeps a reserve",
        arguments: [(1_024, 4096, 512), (256, 4096, 512), (4_096, 100, 100_000), (64, 1, 1), (20_000, 1_000_000, 512)])
    func lowered(limit: Int, connections: Int, attempts: Int) throws {
        let (configuration, changes) = try fit(limit, connections: connections, attempts: attempts)
        let (server, running) = (configuration.server.limits.maxConnections, configuration.dispatcher.maxRunning)
        #expect(server >= 1 && running >= 1)
        #expect(configuration.server.limits.maxConnectionsPerAddress == 1024)
        if limit > 2 * OpenFileBudget.reserve {
            #expect(server + running * OpenFileBudget.perAttempt + OpenFileBudget.reserve <= limit)
        }
        #expect(changes.count == (server < connections ? 1 : 0) + (running < attempts ? 1 : 0))
        #expect(changes.allSatisfy { $0.contains("\(limit)") })
    }
}
