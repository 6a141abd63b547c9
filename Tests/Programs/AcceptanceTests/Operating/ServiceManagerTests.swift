import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("The service manager is notified")
    struct ServiceManagerTests {
        @Test("It is told of the start, a reload and the stop", arguments: ["path", "abstract name"])
        func states(kind: String) async throws {
            let folder = try TemporaryFolder()
            let manager = try NotificationReceiver(
                kind == "path" ? folder["notify"] : "@errand-\(UUID().uuidString)")
            let gateway = try await GatewayProcess(
                GatewaySettings(), in: folder, environment: ["NOTIFY_SOCKET": manager.address])
            #expect(await manager.messages.first(1) == ["READY=1"])
            #expect(try await gateway.client().get("/readyz").status == 200)

            gateway.process.kill(SIGHUP)
            let reload = Array(await manager.messages.first(3).dropFirst())
            let start = "RELOADING=1\nMONOTONIC_USEC="
            #expect(reload[0].hasPrefix(start))
            let microseconds = try #require(Int64(reload[0].dropFirst(start.count)))
            #expect(microseconds > 0)
            #expect(reload[1] == "READY=1")

            // A refused configuration ends the reload too.
            try folder.write("server: 5\n", to: "config.yaml")
            gateway.process.kill(SIGHUP)
            let refused = Array(await manager.messages.first(5).dropFirst(3))
            #expect(refused[0].hasPrefix("RELOADING=1\n"))
            #expect(refused[1] == "READY=1")

            #expect(await gateway.stop() == .status(0))
            #expect(await Array(manager.messages.first(6).dropFirst(5)) == ["STOPPING=1"])
        }

        @Test("Its watchdog is told that tasks run, also during the stop delay")
        func watchdog() async throws {
            let folder = try TemporaryFolder()
            let manager = try NotificationReceiver(folder["notify"])
            var settings = GatewaySettings()
            settings.server = ["stop_delay: 5m"]
            let gateway = try await GatewayProcess(
                settings, in: folder, environment: ["NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "20000"])
            #expect(await manager.messages.first(4) == ["READY=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1"])
            gateway.process.kill(SIGTERM)
            var count = 4
            while await manager.messages.first(count).last != "STOPPING=1" { count += 1 }
            #expect(await manager.messages.first(count + 2).suffix(2) == ["WATCHDOG=1", "WATCHDOG=1"])
            gateway.process.kill(SIGTERM)
            #expect(await gateway.process.exit() == .status(128 + SIGTERM))
        }

        @Test("The watchdog of another process is left alone")
        func otherProcess() async throws {
            let folder = try TemporaryFolder()
            let manager = try NotificationReceiver(folder["notify"])
            let gateway = try await GatewayProcess(
                GatewaySettings(), in: folder,
                environment: ["NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "1", "WATCHDOG_PID": "1"])
            _ = await manager.messages.first(1)
            #expect(await gateway.stop() == .status(0))
            #expect(await manager.messages.first(2) == ["READY=1", "STOPPING=1"])
        }

        @Test("A socket that is not there, or of another kind, is one warning", arguments: ["/", "vsock:2:1", "@"])
        func failure(start: String) async throws {
            let folder = try TemporaryFolder()
            let address = start == "/" ? folder["missing"] : start
            let gateway = try await GatewayProcess(
                GatewaySettings(), in: folder, environment: ["NOTIFY_SOCKET": address, "WATCHDOG_USEC": "20000"])
            #expect(try await gateway.client().get("/readyz").status == 200)
            #expect(await gateway.stop() == .status(0))
            let lines = await gateway.process.errors.all().split(separator: "\n")
            let warnings = lines.count { $0.contains("The service manager cannot be notified") }
            #expect(warnings == 1)
        }
    }
}
