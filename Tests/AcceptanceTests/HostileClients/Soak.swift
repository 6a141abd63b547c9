import Foundation

/// The long form of tests that have one: `ERRAND_SOAK=1` asks for it, and it takes minutes.
enum Soak {
    /// Whether it is wanted.
    static let isWanted = ProcessInfo.processInfo.environment["ERRAND_SOAK"] != nil
}
