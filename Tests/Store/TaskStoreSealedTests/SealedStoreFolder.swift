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

    /// Returns those of the texts that one of the files contains.
    func found(_ texts: [String]) throws -> [String] {
        var contents: [Data] = []
        for file in try FileManager.default.contentsOfDirectory(atPath: path) {
            let content = try Data(contentsOf: URL(filePath: "\(path)/\(file)"))
            // The reserved space is by far the largest file, and has only zeros.
            if content != Data(count: content.count) { contents.append(content) }
        }
        return texts.filter { text in contents.contains { $0.range(of: Data(text.utf8)) != nil } }
    }
}

extension SealingKey {
    /// Returns a key for tests.
    static func sample(_ number: UInt8) throws -> SealingKey {
        try SealingKey([UInt8](repeating: number, count: SealingKey.byteCount))
    }
}
