@testable import ErrandTaskEngine

extension Duration {
    /// A time that no test reaches, for waits that must not end by themselves.
    static let unlimited = Duration.seconds(86_400)
}

extension ClientPatience {
    /// The patience of clients that are told of nothing but outcomes, however long a step takes.
    static var unlimited: ClientPatience {
        var patience = ClientPatience()
        (patience.reply, patience.cancel, patience.removal) = (.unlimited, .unlimited, .unlimited)
        (patience.reload, patience.metrics) = (.unlimited, .unlimited)
        return patience
    }
}
