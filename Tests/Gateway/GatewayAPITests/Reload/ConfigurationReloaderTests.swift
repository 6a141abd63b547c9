import ErrandConfiguration
import ErrandSettings
import ErrandSupport
import Logging
import Testing

@testable import ErrandGatewayAPI

@Suite("ConfigurationReloader", .timeLimit(.hang))
struct ConfigurationReloaderTests {
    @Test("Reloads that are requested during another one are one reload, which reads the file after all of them")
    func shared() async throws {
        let loader = ConfigurationLoader(environment: [:], readFile: { _ in [] })
        let (reads, gate) = (EventLog<Void>(), Gate())
        let source = ConfigurationSource { inForce throws(ConfigurationError) in
            reads.append()
            gate.wait()
            return try loader.load(Array("logging: {level: debug}".utf8), file: "a.yaml", replacing: inForce)
        }
        let inForce = try loader.load([], file: "a.yaml").configuration
        let reloader = ConfigurationReloader(source, inForce: inForce, logger: Logger(label: "test"))
        reloader.open({ _ in }, didApply: { _ in })
        let first = reloader.nextReload()
        _ = await reads.first(1)
        let others = (0..<100).map { _ in reloader.nextReload() }
        #expect(Set(others).count == 1)
        #expect(!others.contains(first))
        for _ in 0..<2 { gate.open() }
        for reload in [first] + others {
            guard case .applied = await reload.value else {
                Issue.record("the reload has another outcome")
                return
            }
        }
        #expect(reads.events.count == 2)
    }

    @Test("A stop does not wait for a file that is still being read, and nothing is applied afterwards")
    func blockedRead() async throws {
        let loader = ConfigurationLoader(environment: [:], readFile: { _ in [] })
        let (began, gate) = (Signal<Void>(), Gate())
        let source = ConfigurationSource { inForce throws(ConfigurationError) in
            began.send()
            gate.wait()
            return try loader.load(Array("logging: {level: debug}".utf8), file: "a.yaml", replacing: inForce)
        }
        let inForce = try loader.load([], file: "a.yaml").configuration
        let reloader = ConfigurationReloader(source, inForce: inForce, logger: Logger(label: "test"))
        reloader.open({ _ in Issue.record("applied") }, didApply: { _ in Issue.record("applied") })
        async let outcome = reloader.reload()
        await began.wait()
        await reloader.close()
        gate.open()
        guard case .unavailable = await outcome else {
            Issue.record("the reload has another outcome")
            return
        }
    }
}
