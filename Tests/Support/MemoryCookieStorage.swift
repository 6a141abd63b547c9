package import ErrandCookies
import ErrandLocking

/// A storage in memory that a test can make fail or wait.
package final class MemoryCookieStorage: CookieStorage {
    /// A closure that runs before a batch is written or the cookies are loaded; if it throws, the operation fails.
    package typealias Intervention = @Sendable () async throws(CookieStorageError) -> Void

    private struct State {
        var cookies: [Cookie.ID: Cookie] = [:]
        var batches: [[CookieChange]] = []
        var loads = 0
        var isBusy = false
        var wasCalledTwiceAtOnce = false
        var beforeSave: Intervention?
        var beforeLoad: Intervention?
    }

    private let state = Mutex(State())

    /// Creates a storage that holds cookies.
    package init(_ cookies: [Cookie] = []) {
        state.withLock { state in
            for cookie in cookies { state.cookies[cookie.id] = cookie }
        }
    }

    /// The stored cookies as `name=value`, sorted.
    package var kept: [String] { state.withLock { $0.cookies.values.map { "\($0.name)=\($0.value)" } }.sorted() }
    /// The names of the stored cookies, sorted.
    package var names: [String] { state.withLock { $0.cookies.keys.map(\.name) }.sorted() }
    /// The batches that were written.
    package var batches: [[CookieChange]] { state.withLock { $0.batches } }
    /// The number of loads.
    package var loads: Int { state.withLock { $0.loads } }
    /// True if two calls overlapped.
    package var wasCalledTwiceAtOnce: Bool { state.withLock { $0.wasCalledTwiceAtOnce } }

    package func beforeSave(_ intervention: Intervention?) { state.withLock { $0.beforeSave = intervention } }
    package func beforeLoad(_ intervention: Intervention?) { state.withLock { $0.beforeLoad = intervention } }

    package func load() async throws(CookieStorageError) -> [Cookie] {
        enter()
        defer { leave() }
        try await state.withLock { state in
            state.loads += 1
            return state.beforeLoad
        }?()
        return state.withLock { Array($0.cookies.values) }
    }

    package func save(_ changes: [CookieChange]) async throws(CookieStorageError) {
        enter()
        defer { leave() }
        try await state.withLock { $0.beforeSave }?()
        state.withLock { state in
            state.batches.append(changes)
            for change in changes {
                switch change {
                case .set(let cookie): state.cookies[cookie.id] = cookie
                case .removed(let id): state.cookies[id] = nil
                }
            }
        }
    }

    private func enter() {
        state.withLock { state in
            if state.isBusy { state.wasCalledTwiceAtOnce = true }
            state.isBusy = true
        }
    }

    private func leave() { state.withLock { $0.isBusy = false } }
}
