package import Logging

extension Logger {
    /// A logger whose messages nothing receives.
    package static let discarding = Logger(label: "errand.discarding") { _ in SwiftLogNoOpLogHandler() }
}
