import ErrandTime

extension Timestamp {
    /// Returns the system's time.
    ///
    /// Components take the clock as a parameter, with this function as the default.
    package static func now() -> Timestamp {
        Timestamp(milliseconds: SystemClock.millisecondsSince1970())
    }
}
