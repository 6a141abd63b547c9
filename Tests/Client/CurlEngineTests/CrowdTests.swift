import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import Testing

@Suite("CurlEngine: thousands at a time", .timeLimit(.hang), .serialized)
struct CrowdTests {
    private let options = ConnectionOptions(maxConnectionsPerHost: 10_000, maxIdleConnections: 10_000)

    @Test("a thousand concurrent transfers all get their responses")
    func thousand() async throws {
        let server = try ReflexServer()
        defer { server.stop() }
        try await withSession(options) { session in
            let timeouts = TransferTimeouts(connect: .seconds(600), idle: .seconds(600), total: .seconds(600))
            let request = TransferRequest(url: try HTTPURL(server.origin + "/"), timeouts: timeouts)
            for _ in 0..<3 {
                let good = await withTaskGroup(of: Bool.self) { group in
                    for _ in 0..<1_000 {
                        group.addTask {
                            let (outcome, text) = await session.perform(request)
                            return outcome.error == nil && text == "hello"
                        }
                    }
                    return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(good == 1_000)
            }
            #expect(session.counts.startedTransfers == 3_000)
            #expect(session.counts.runningTransfers == 0)
        }
    }

    @Test("five thousand waiting transfers harm no other, and end when canceled")
    func parked() async throws {
        let server = try ReflexServer()
        defer { server.stop() }
        try await withSession(options) { session in
            let timeouts = TransferTimeouts(idle: .seconds(600), total: .seconds(600))
            let parked = TransferRequest(url: try HTTPURL(server.origin + "/park"), timeouts: timeouts)
            let fast = TransferRequest(url: try HTTPURL(server.origin + "/"))
            let isParked = Signal<Void>()
            let crowd = Task {
                await withTaskGroup(of: Bool.self) { group in
                    for _ in 0..<5_000 {
                        group.addTask {
                            let error = await session.perform(parked, receiver: RecordingReceiver()).error
                            // Without this one the others would be waited for in vain.
                            isParked.send()
                            return error == .canceled
                        }
                    }
                    return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
            }
            Task {
                await server.waitForParked(5_000)
                isParked.send()
            }
            await isParked.wait()
            try #require(session.counts.runningTransfers == 5_000)
            for _ in 0..<100 { #expect(await session.perform(fast).text == "hello") }
            crowd.cancel()
            let canceled = await crowd.value
            try #require(canceled == 5_000)
            await server.waitForClosed(5_000)
            #expect(session.counts.runningTransfers == 0)
        }
    }
}
