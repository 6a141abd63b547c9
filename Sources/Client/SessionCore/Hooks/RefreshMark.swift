/// A mark of the Swift tasks that run the closure of one ``TokenRefresher``.
///
/// Tasks that a marked one creates inherit the mark, except detached ones.
final class RefreshMark: Sendable {
    /// The marks of the current Swift task: the closure of one refresher may use another.
    private static let current = TaskLocal<[RefreshMark]>(wrappedValue: [])

    /// True if the current Swift task has the mark.
    var isSet: Bool {
        Self.current.get().contains { $0 === self }
    }

    /// Performs work with the mark.
    func marking<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        try await Self.current.withValue(Self.current.get() + [self], operation: work)
    }
}
