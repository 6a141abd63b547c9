import Foundation
package import Testing

/// The long form of tests: enabled by `ERRAND_SOAK=1`, and takes minutes.
///
/// `make soak` runs an optimised program on a machine that does nothing else. Only there does a measured time tell
/// something about the program.
package enum Soak {
    /// True if the long form is enabled.
    package static let isWanted = ProcessInfo.processInfo.environment["ERRAND_SOAK"] != nil

    /// Returns the seeds of a test that tries random cases, from 0: `count` of them, and `long` in the long form.
    package static func seeds(_ count: UInt64, long: UInt64) -> Range<UInt64> {
        0..<(isWanted ? long : count)
    }

    /// Expects in the long form that something took at most `limit`.
    ///
    /// A test run shares its cores with others and may run under a sanitizer, on any machine. There a test states the
    /// order of events, counts work, or leaves out any other end than the expected one, so that a defect hangs until
    /// ``Testing/TimeLimitTrait/Duration/hang``.
    package static func expect(
        _ time: Duration, within limit: Duration, _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard isWanted else { return }
        #expect(time <= limit, comment, sourceLocation: sourceLocation)
    }
}

extension TimeLimitTrait.Duration {
    /// The time after which a test hangs.
    ///
    /// No machine is slow enough to reach it: it only ends a test that would never end.
    package static var hang: Self { .minutes(10) }
}
