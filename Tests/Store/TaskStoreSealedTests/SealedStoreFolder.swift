import ErrandCryptography
import ErrandSupport
import ErrandTaskStore
import ErrandTaskStoreSQLite
import ErrandTaskStoreSealed
import Foundation

/// A folder for the files of a store with sealed records, removed after the test.
final class SealedStoreFolder: Sendable {
    private let folder: TemporaryFolder

    var path: String { folder.path }

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Opens the unsealed store, calls `body` and closes it.
    func raw<Value>(_ body: (SQLiteTaskStore) async throws -> Value) async throws -> Value {
        try await Self.with(files(), body)
    }

    /// Opens the store with keys, calls `body` and closes it.
    func sealed<Value>(_ keys: SealingKey..., body: (SealedTaskStore) async throws -> Value) async throws -> Value {
        try await Self.with(SealedTaskStore(files(), keys: SealingKeyring(keys)), body)
    }

    /// Opens the unsealed store, whose reads never take too long and whose events have the numbers from 1.
    private func files() throws -> SQLiteTaskStore {
        try SQLiteTaskStore(
            path: "\(path)/tasks.db", durability: .normal, openedAt: nil, readTimeout: .seconds(86_400))
    }

    private static func with<Store: TaskStore, Value>(
        _ store: Store, _ body: (Store) async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await body(store)
            await store.close()
            return value
        } catch {
            await store.close()
            throw error
        }
    }

    /// Returns true if one of the files contains a text.
    func contains(_ text: String) throws -> Bool {
        let files = try FileManager.default.contentsOfDirectory(atPath: path)
        return try files.contains { file in
            let content = try Data(contentsOf: URL(filePath: "\(path)/\(file)"))
            return content.range(of: Data(text.utf8)) != nil
        }
    }
}

extension SealingKey {
    /// Returns a key for tests.
    static func sample(_ number: UInt8) throws -> SealingKey {
        try SealingKey([UInt8](repeating: number, count: SealingKey.byteCount))
    }
}
