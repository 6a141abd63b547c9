import Cookies
import Locking
import Support

/// A storage in memory in which a test has its hand: it can fail, and be made to wait.
final class MemoryCookieStorage: CookieStorage {
    /// What a test does before a batch is written, or the cookies are read: throwing makes it fail.
    typealias Intervention = @Sendable () async throws(CookieStorageError) -> Void

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

    init(_ cookies: [Cookie] = []) {
        state.withLock { state in
            for cookie in cookies { state.cookies[cookie.id] = cookie }
        }
    }

    /// `name=value` of what is kept, sorted.
    var kept: [String] { state.withLock { $0.cookies.values.map { "\($0.name)=\($0.value)" } }.sorted() }
    /// The batches that were written.
    var batches: [[CookieChange]] { state.withLock { $0.batches } }
    /// How often it was read.
    var loads: Int { state.withLock { $0.loads } }
    /// Whether a call came before the last had ended.
    var wasCalledTwiceAtOnce: Bool { state.withLock { $0.wasCalledTwiceAtOnce } }

    func beforeSave(_ intervention: Intervention?) { state.withLock { $0.beforeSave = intervention } }
    func beforeLoad(_ intervention: Intervention?) { state.withLock { $0.beforeLoad = intervention } }

    func load() async throws(CookieStorageError) -> [Cookie] {
        enter()
        defer { leave() }
        try await state.withLock { state in
            state.loads += 1
            return state.beforeLoad
        }?()
        return state.withLock { Array($0.cookies.values) }
    }

    func save(_ changes: [CookieChange]) async throws(CookieStorageError) {
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
