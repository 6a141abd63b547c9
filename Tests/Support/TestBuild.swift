import Foundation

/// The build of the tests.
package enum TestBuild {
    /// True if the tests were built with the thread sanitizer: they, and the load that they make, are slower.
    package static let hasThreadSanitizer = dlsym(nil, "__tsan_init") != nil

    /// Returns the number of rounds of a test that tries random cases in one thread: a quarter of `count` under the thread
    /// sanitizer, which makes each round many times as long and has nothing to find in one thread.
    ///
    /// All rounds run with `make check`, and without an end with `make fuzz`.
    package static func rounds(_ count: Int) -> Int {
        hasThreadSanitizer ? count / 4 : count
    }
}
