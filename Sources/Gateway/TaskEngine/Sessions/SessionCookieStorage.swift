import ErrandCookies
import ErrandTaskStore
import ErrandTime

import struct Synchronization.Atomic

/// The persistent cookies of one session in the gateway's store.
///
/// It serves one generation of the session, until ``detach()``: cookies saved afterwards are dropped, as the storage
/// then belongs to the next generation.
final class SessionCookieStorage: CookieStorage {
    private let store: any CookieStore
    private let session: String
    private let isDetached = Atomic(false)

    init(_ store: any CookieStore, session: String) {
        self.store = store
        self.session = session
    }

    /// Ignores all cookies saved from now on.
    func detach() {
        isDetached.store(true, ordering: .relaxed)
    }

    func load() async throws(CookieStorageError) -> [Cookie] {
        let stored: [StoredCookie]
        do throws(TaskStoreError) {
            stored = try await store.cookies(session: session)
        } catch {
            throw CookieStorageError(.readFailed, error.message, underlying: error.debugDescription)
        }
        let cookies = stored.compactMap(\.cookie)
        guard cookies.count == stored.count else {
            throw CookieStorageError(.corrupt, "The stored cookies cannot be read")
        }
        return cookies
    }

    func save(_ changes: [CookieChange]) async throws(CookieStorageError) {
        guard !isDetached.load(ordering: .relaxed) else { return }
        do throws(TaskStoreError) {
            try await store.update(cookies: changes.map(StoredCookieChange.init), session: session)
        } catch {
            throw CookieStorageError(.writeFailed, error.message, underlying: error.debugDescription)
        }
    }
}

extension StoredCookieChange {
    fileprivate init(_ change: CookieChange) {
        switch change {
        case .set(let cookie): self = .set(StoredCookie(cookie))
        case .removed(let id): self = .remove(StoredCookie.Key(id))
        }
    }
}

extension StoredCookie.Key {
    fileprivate init(_ id: Cookie.ID) {
        self.init(domain: id.domain, isHostOnly: id.isHostOnly, path: id.path, name: id.name)
    }
}

extension StoredCookie {
    fileprivate init(_ cookie: Cookie) {
        self.init(
            key: Key(cookie.id), value: cookie.value, isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly,
            expiresAt: cookie.expires.map(Timestamp.init(seconds:)), creationOrder: cookie.creationOrder,
            lastAccessAt: Timestamp(seconds: cookie.lastAccess))
    }

    /// The cookie; `nil` if it is invalid.
    fileprivate var cookie: Cookie? {
        Cookie(
            id: Cookie.ID(name: key.name, domain: key.domain, isHostOnly: key.isHostOnly, path: key.path),
            value: value, expires: expiresAt?.seconds, isSecure: isSecure, isHTTPOnly: isHTTPOnly,
            creationOrder: creationOrder, lastAccess: lastAccessAt.seconds)
    }
}

extension Timestamp {
    /// Creates a timestamp from whole seconds, clamped to the valid range.
    fileprivate init(seconds: Int64) {
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        self = overflow ? (seconds < 0 ? .earliest : .latest) : Timestamp(milliseconds: milliseconds)
    }

    fileprivate var seconds: Int64 {
        // Rounded down, also before 1970.
        (milliseconds - (milliseconds % 1000 + 1000) % 1000) / 1000
    }
}
