import ErrandLocking
import ErrandSupport
import Foundation

/// A gateway under test, which is killed and restarted, and whose clock, disk and limits change.
final class ChaosGateway: Sendable {
    /// The disk of its store and files; `nil` if the system does not support it.
    let disk: SmallDisk?
    /// The wall clock of the gateway.
    let clock: WallClock
    /// The path of its store, for programs that see the disk.
    let store: String

    /// No gateway was started.
    struct NotStarted: Error {}

    private let folder: TemporaryFolder
    private let settings: GatewaySettings
    /// The running process, or the next one; `nil` if it could not be started.
    private let running = Mutex(Signal<GatewayProcess?>())

    init(_ settings: GatewaySettings, diskMebibytes: Int) async throws {
        folder = try TemporaryFolder()
        var settings = settings
        settings.state = "state"
        self.settings = settings
        clock = try await WallClock(in: folder)
        try folder.makeFolder("state")
        disk = try? await SmallDisk(at: folder["state"], mebibytes: diskMebibytes)
        store = folder["state/errand.db"]
    }

    /// Starts the gateway.
    func start() async throws {
        let signal = running.withLock { $0 }
        do {
            signal.send(
                try await GatewayProcess(
                    settings, in: folder, launcher: disk?.launcher ?? [], environment: clock.environment))
        } catch {
            signal.send(nil)
            throw error
        }
    }

    /// The running process; waits for its start.
    var process: GatewayProcess {
        get async throws {
            guard let gateway = await running.withLock({ $0 }).wait() else { throw NotStarted() }
            return gateway
        }
    }

    /// Opens a connection to the gateway; waits for its start.
    func client() async throws -> APIClient { try await process.client() }

    /// Kills the gateway and starts it again.
    func killAndStart() async throws {
        let former = try await process
        running.withLock { $0 = Signal() }
        await former.kill()
        try await start()
    }
}
