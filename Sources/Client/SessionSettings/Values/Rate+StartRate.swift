import ErrandSessionCore
import ErrandSettings

extension Rate {
    /// Creates a rate from the start rate of a session.
    init(_ rate: StartRate) {
        self.init(rate.count, per: rate.period)
    }
}

extension StartRate {
    /// Creates a start rate from the rate in the file.
    init(_ rate: Rate) {
        self.init(rate.count, per: rate.per)
    }
}
