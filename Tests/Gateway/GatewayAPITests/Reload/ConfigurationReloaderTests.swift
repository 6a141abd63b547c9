import ErrandConfiguration
import ErrandSupport
import Logging
import Testing

@testable import ErrandGatewayAPI

@Suite("ConfigurationReloader", .timeLimit(.hang))
struct ConfigurationReloaderTests {
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
