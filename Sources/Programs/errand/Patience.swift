import ErrandGateway
import ErrandHTTPServer
import ErrandTaskEngine
import Foundation

/// The times that this program waits for something, as far as no setting determines them.
///
/// `ERRAND_TEST_PATIENCE`, a number of seconds, is the least value of each: tests run on machines of any speed. Tests of
/// the times themselves do not set it.
struct Patience {
    /// The shortest of the times, in tests; zero otherwise.
    private let shortest: Duration

    /// The times of this process.
    static let own = Patience(ProcessInfo.processInfo.environment["ERRAND_TEST_PATIENCE"])

    /// Creates the times with a least value.
    ///
    /// - Parameter seconds: The shortest of the times, in seconds, at most a day; anything but a positive number has no
    ///   effect.
    init(_ seconds: String?) {
        let number = seconds.flatMap { Int($0) } ?? 0
        shortest = .seconds(min(max(number, 0), 86_400))
    }

    /// The time for the last responses after the tasks have ended or were interrupted.
    var responses: Duration { max(.seconds(2), shortest) }
    /// The longest time after the last attempt for clients to poll the end of a task that they saw running.
    var polls: Duration { max(.seconds(5), shortest) }
    /// The time for a reader of the log to read the last lines.
    var log: Duration { max(.seconds(2), shortest) }
    /// The time for a reader of the log to read the last lines after a second signal.
    var lastLines: Duration { max(.milliseconds(200), shortest) }
    /// The time for the response to a health check.
    var health: Duration { max(.seconds(5), shortest) }
    /// The time for the result of a reload: names of upstreams may have to be resolved, and files to be read.
    var reload: Duration { max(.seconds(60), shortest) }
    /// The time without a run of any Swift task after which they count as stuck.
    var tasks: Duration { max(.seconds(10), shortest) }

    /// The time for which the connections of an idle session are kept.
    var idleConnections: Duration { max(.seconds(120), shortest) }

    /// The longest times that clients wait.
    var clients: ClientPatience {
        var patience = ClientPatience()
        patience.reply = max(patience.reply, shortest)
        patience.cancel = max(patience.cancel, shortest)
        patience.removal = max(patience.removal, shortest)
        patience.reload = max(patience.reload, shortest)
        patience.metrics = max(patience.metrics, shortest)
        return patience
    }

    /// Lengthens the timeouts of a server for which there is no setting.
    func extend(_ timeouts: inout ServerTimeouts) {
        timeouts.rateGrace = max(timeouts.rateGrace, shortest)
        timeouts.sendIdle = max(timeouts.sendIdle, shortest)
        timeouts.lingering = max(timeouts.lingering, shortest)
    }

    /// Lengthens all timeouts of a server.
    func extendAll(_ timeouts: inout ServerTimeouts) {
        extend(&timeouts)
        timeouts.header = max(timeouts.header, shortest)
        timeouts.body = max(timeouts.body, shortest)
        timeouts.bodyIdle = max(timeouts.bodyIdle, shortest)
        timeouts.keepAlive = max(timeouts.keepAlive, shortest)
    }
}
