import ErrandFiles
import ErrandLocking
import ErrandTime
import Foundation
import Glibc
import Logging

/// The service manager that started the process, such as systemd, which gets notifications (sd_notify(3)).
///
/// Nothing is sent without the environment variable `NOTIFY_SOCKET`. The first failure is logged; no failure has any
/// other effect.
final class ServiceManager: Sendable {
    private let socket: NotificationSocket?
    private let watchdogInterval: Duration?
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        var hasFailed = false
    }

    /// True from the report that the process stops.
    ///
    /// The lock is held while a report is sent, so that none follows it.
    private let isStopping = Mutex(false)

    /// Creates the service manager of the environment.
    ///
    /// - Parameter environment: The variables `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` are read.
    init(_ environment: [String: String] = ProcessInfo.processInfo.environment, logger: Logger) {
        var opened: NotificationSocket?
        var failure: SystemFailure?
        if let address = environment["NOTIFY_SOCKET"], !address.isEmpty {
            do throws(SystemFailure) {
                opened = try NotificationSocket(address)
            } catch {
                failure = error
            }
        }
        socket = opened
        watchdogInterval = Self.watchdogInterval(environment)
        self.logger = logger
        if let failure { report(failure) }
    }

    /// Returns half of the time after which the service manager restarts a process without notification; `nil` if it
    /// does not ask this process for notifications (sd_watchdog_enabled(3)).
    private static func watchdogInterval(_ environment: [String: String]) -> Duration? {
        guard let microseconds = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), microseconds > 0 else {
            return nil
        }
        if let process = environment["WATCHDOG_PID"], Int32(process) != getpid() { return nil }
        let half = Duration.microseconds(microseconds) / 2
        return max(half, Duration.milliseconds(1))
    }

    /// Reports that clients are accepted and tasks run, and goes on to report that tasks run, if the service manager
    /// asks for it, until the returned task is canceled.
    ///
    /// The reports come from a Swift task: when all threads of the cooperative pool are blocked, so that no task runs,
    /// there are none, and the service manager restarts the process. `/healthz` is 503 for the same reason.
    func start() -> Task<Void, Never> {
        notify(.ready)
        return Task {
            guard let watchdogInterval, socket != nil else { return }
            while !Task.isCancelled {
                notify(.alive)
                guard (try? await ContinuousClock().boundedSleep(for: watchdogInterval)) != nil else { return }
            }
        }
    }

    /// Reports the beginning and the end of a reload.
    func reload(_ body: () async -> Void) async {
        notify(.reloading(atMicroseconds: SystemClock.monotonicNanoseconds() / 1000))
        await body()
        notify(.ready)
    }

    /// Reports that the process begins to stop.
    ///
    /// Afterwards the end of a reload is not reported.
    func stop() {
        notify(.stopping)
    }

    private func notify(_ notification: ServiceNotification) {
        guard let socket else { return }
        do throws(SystemFailure) {
            if notification == .alive {
                try socket.send(notification.text)
            } else {
                try isStopping.withLock { (isStopping) throws(SystemFailure) in
                    guard !isStopping else { return }
                    isStopping = notification == .stopping
                    try socket.send(notification.text)
                }
            }
        } catch {
            report(error)
        }
    }

    private func report(_ failure: SystemFailure) {
        let isFirst = state.withLock { state in
            defer { state.hasFailed = true }
            return !state.hasFailed
        }
        guard isFirst else { return }
        logger.warning(
            "The service manager cannot be notified; further failures are not logged",
            metadata: ["error": "\(failure)"])
    }
}
