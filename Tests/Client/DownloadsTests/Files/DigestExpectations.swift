import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import Testing

@testable import ErrandDownloads

/// The promises that each digest of a file keeps, whatever file it reads.
enum DigestExpectations {
    /// Computes a digest of a file; the function returns true to give up.
    typealias Computation = @Sendable (_ isCanceled: @escaping @Sendable () -> Bool) async throws(SessionError) -> Void

    /// The number of files that are read at the same time by ``expectOtherTasksRun(beside:_:)``.
    static let concurrentCount = LongWork.poolCount + DownloadQueues.digestCount

    /// Expects that a digest of three pieces ends when it is canceled before the last.
    static func expectEndBetweenPieces(_ compute: Computation) async {
        let calls = EventCounter()
        let error = await #expect(throws: SessionError.self) {
            try await compute {
                calls.increment()
                return calls.count == 3
            }
        }
        #expect(error?.code == .canceled)
        #expect(calls.count == 3)
    }

    /// Expects that Swift tasks run while digests of files are computed that are so large that none ends, unless
    /// nothing else runs.
    static func expectOtherTasksRun<File: Sendable>(
        beside files: [File],
        _ compute:
            @escaping @Sendable (File, _ isCanceled: @escaping @Sendable () -> Bool) async throws(SessionError) -> Void
    ) async {
        let work = LongWork(count: files.count)
        let codes = await withTaskGroup(of: SessionErrorCode?.self) { group in
            for file in files {
                let isCanceled = work.isCanceled()
                group.addTask {
                    do throws(SessionError) {
                        try await compute(file, isCanceled)
                        return nil
                    } catch {
                        return error.code
                    }
                }
            }
            return await group.reduce(into: [SessionErrorCode?]()) { $0.append($1) }
        }
        #expect(codes == [SessionErrorCode?](repeating: .canceled, count: files.count))
    }
}
