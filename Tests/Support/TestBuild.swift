import Foundation

/// The build of the tests.
package enum TestBuild {
    /// True if the tests were built with the thread sanitizer: they, and the load that they make, are slower.
    package static let hasThreadSanitizer = dlsym(nil, "__tsan_init") != nil

    /// Returns the number of rounds of a test that tries many cases in one thread: a tenth of `count` under the thread
    /// sanitizer.
    ///
    /// The sanitizer makes each round many times as long, and has nothing to find in one thread. All rounds run with
    /// `make check`, and without an end with `make fuzz`.
    package static func rounds(_ count: Int) -> Int {
        hasThreadSanitizer ? max(1, count / 10) : count
    }

    /// Returns the number of rounds of a test that tries random cases, each of which takes long.
    ///
    /// - Parameters:
    ///   - count: The rounds of `make check`.
    ///   - sanitized: Those under the thread sanitizer, of which `make test` has little time.
    ///   - soak: Those of `make soak`.
    package static func rounds(_ count: Int, sanitized: Int, soak: Int) -> Int {
        Soak.isWanted ? soak : hasThreadSanitizer ? sanitized : count
    }

    /// Returns the seeds of a test that tries random cases in one thread, from 0: as many as ``rounds(_:)``.
    package static func seeds(_ count: Int) -> Range<UInt64> {
        0..<UInt64(rounds(count))
    }
}
