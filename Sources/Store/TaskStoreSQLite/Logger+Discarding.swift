import Logging

extension Logger {
    /// A logger of a store whose messages nothing receives.
    static let discarding = Logger(label: "errand.store") { _ in SwiftLogNoOpLogHandler() }
}
