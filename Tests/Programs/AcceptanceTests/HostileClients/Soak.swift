import Foundation

/// The long form of tests: enabled by `ERRAND_SOAK=1`, and takes minutes.
enum Soak {
    /// True if the long form is enabled.
    static let isWanted = ProcessInfo.processInfo.environment["ERRAND_SOAK"] != nil
}
