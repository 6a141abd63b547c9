import ErrandSupport
import Foundation
import Testing

/// A fault that a gateway has to survive under load.
enum ChaosFault: CaseIterable {
    case leavingClients, storeReader, logReader, streamReaders, clockBack, clockForward, fullDisk, descriptors, pause
    case kill

    /// A Boolean value that indicates whether the gateway can respond during the fault: it runs and has file
    /// descriptors.
    var letsAnswer: Bool {
        switch self {
        case .descriptors, .pause, .kill: false
        default: true
        }
    }

    /// Causes the fault, keeps it up while clients are served, and ends it.
    ///
    /// - Parameter duringFault: Called once, while the fault lasts.
    func strike(_ gateway: ChaosGateway, _ load: CrashLoad, duringFault: () async throws -> Void) async throws {
        let served = { try await load.acknowledgements.wait(for: Soak.isWanted ? 1000 : 100) }
        switch self {
        case .leavingClients:
            let port = try await gateway.process.port
            async let leaving: Void = LeavingClient.run(Soak.isWanted ? 2000 : 200, port: port)
            try await duringFault()
            try await served()
            await leaving
        case .storeReader:
            let reader = try await StoreReader(gateway)
            try await duringFault()
            try await served()
            await reader.end()
        case .logReader:
            try await gateway.process.process.errors.withoutReading {
                try await duringFault()
                try await served()
            }
        case .streamReaders:
            let port = try await gateway.process.port
            let streams = try (0..<50).map { _ in try RawHTTPClient(port: port, receiveBufferBytes: 4096) }
            for (number, stream) in streams.enumerated() {
                let path = number % 2 == 0 ? "/v1/events" : "/v1/tasks?page_size=1000"
                try await stream.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 0\r\n\r\n")
            }
            try await duringFault()
            try await served()
            for stream in streams { stream.reset() }
        case .clockBack, .clockForward:
            try gateway.clock.set(self == .clockBack ? -8 * 3600 : 2 * 3600)
            try await duringFault()
            try await served()
            try gateway.clock.set(0)
        case .fullDisk:
            guard let disk = gateway.disk else { return }
            try disk.fill()
            defer { disk.makeRoom() }
            try await load.failures.wait(for: 20)
            try await duringFault()
        case .descriptors:
            let process = try await gateway.process
            try await process.limitDescriptors(toOpenAnd: 2)
            let clients = try (0..<50).map { _ in try RawHTTPClient(port: process.port) }
            try await duringFault()
            try await served()
            for client in clients { client.close() }
            try await process.limitDescriptors(toOpenAnd: nil)
        case .pause:
            let process = try await gateway.process.process
            process.kill(SIGSTOP)
            // The fault is a duration: longer than the timeouts in the settings of the load.
            _ = await (try ChildProcess("/bin/sleep", ["3"])).exit()
            process.kill(SIGCONT)
            try await duringFault()
        case .kill:
            try await gateway.killAndStart()
            try await duringFault()
        }
    }
}

/// A program that keeps a read transaction of the store open, like a backup.
private struct StoreReader {
    private let process: ChildProcess

    init(_ gateway: ChaosGateway) async throws {
        let script = """
            import sqlite3, sys
            store = sqlite3.connect(sys.argv[1], isolation_level=None)
            store.execute("BEGIN")
            print("reads", store.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0], flush=True)
            sys.stdin.read()
            """
        let command = (gateway.disk?.launcher ?? []) + ["/usr/bin/python3", "-c", script, gateway.store]
        process = try ChildProcess(command[0], Array(command.dropFirst()), input: .untilOwnEnd)
        _ = try await process.output.line(containing: "reads")
    }

    func end() async {
        process.kill(SIGTERM)
        _ = await process.exit()
    }
}
