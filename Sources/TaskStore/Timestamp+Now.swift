import FoundationEssentials

extension Timestamp {
    /// The system's time.
    ///
    /// Components take the clock as a parameter and have this as its default.
    ///
    /// `FoundationEssentials` is the only way to the wall clock that needs no C in this target.
    package static func now() -> Timestamp {
        Timestamp(milliseconds: Int64((Date.now.timeIntervalSince1970 * 1000).rounded(.down)))
    }
}
