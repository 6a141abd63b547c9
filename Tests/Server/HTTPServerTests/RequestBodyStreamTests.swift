import ErrandHTTPServer
import ErrandSupport
import Synchronization
import Testing

@Suite("RequestBodyStream", .timeLimit(.hang))
struct RequestBodyStreamTests {
    @Test("bytes are read in order, and accumulated bytes together")
    func order() async throws {
        let (stream, source) = RequestBodyStream.makeStream(bufferLimitBytes: 100, onDemand: {})
        _ = source.offer([1, 2])
        #expect(source.offer([]) == .more)
        _ = source.offer([3])
        source.finish()
        var parts = stream.makeAsyncIterator()
        #expect(try await parts.next() == [1, 2, 3])
        #expect(try await parts.next() == nil)
        #expect(try await parts.next() == nil)
    }

    @Test("a full stream still accepts bytes, reports that it is full, and requests more once when it is read")
    func backPressure() async throws {
        let demands = Atomic<Int>(0)
        let (stream, source) = RequestBodyStream.makeStream(bufferLimitBytes: 4) {
            demands.wrappingAdd(1, ordering: .relaxed)
        }
        _ = source.offer([0])
        var parts = stream.makeAsyncIterator()
        #expect(try await parts.next() == [0])
        let before = demands.load(ordering: .relaxed)
        #expect(source.offer([1, 2, 3]) == .more)
        #expect(source.offer([4, 5, 6]) == .full)
        #expect(demands.load(ordering: .relaxed) == before)
        #expect(try await parts.next() == [1, 2, 3, 4, 5, 6])
        #expect(demands.load(ordering: .relaxed) == before + 1)
        #expect(source.offer([7]) == .more)
        #expect(try await parts.next() == [7])
        #expect(demands.load(ordering: .relaxed) == before + 1)
    }

    @Test("a stream that is not read yet is full after one part")
    func unread() async throws {
        let demands = Atomic<Int>(0)
        let (stream, source) = RequestBodyStream.makeStream(bufferLimitBytes: 100) {
            demands.wrappingAdd(1, ordering: .relaxed)
        }
        #expect(source.offer([1]) == .full)
        #expect(source.offer([2]) == .full)
        #expect(demands.load(ordering: .relaxed) == 0)
        var parts = stream.makeAsyncIterator()
        #expect(try await parts.next() == [1, 2])
        #expect(demands.load(ordering: .relaxed) == 1)
        #expect(source.offer([3]) == .more)
    }

    @Test("a stream whose limit before the first read is lifted takes bytes up to its other limit")
    func liftedLimit() async throws {
        let demands = Atomic<Int>(0)
        let (stream, source) = RequestBodyStream.makeStream(bufferLimitBytes: 3) {
            demands.wrappingAdd(1, ordering: .relaxed)
        }
        #expect(source.offer([1]) == .full)
        #expect(source.liftUnreadLimit())
        #expect(!source.liftUnreadLimit())
        #expect(source.offer([2]) == .more)
        #expect(source.offer([3]) == .full)
        #expect(!source.liftUnreadLimit())
        #expect(demands.load(ordering: .relaxed) == 0)
        var parts = stream.makeAsyncIterator()
        #expect(try await parts.next() == [1, 2, 3])
        #expect(demands.load(ordering: .relaxed) == 1)
    }

    @Test("lifting the limit before the first read gives no room to a stream that is full or is read")
    func liftedInVain() async throws {
        let demands = Atomic<Int>(0)
        let (stream, source) = RequestBodyStream.makeStream(bufferLimitBytes: 2) {
            demands.wrappingAdd(1, ordering: .relaxed)
        }
        #expect(source.offer([1, 2]) == .full)
        #expect(!source.liftUnreadLimit())
        var parts = stream.makeAsyncIterator()
        #expect(try await parts.next() == [1, 2])
        #expect(demands.load(ordering: .relaxed) == 1)
        #expect(source.offer([3, 4]) == .full)
        #expect(!source.liftUnreadLimit())
        #expect(try await parts.next() == [3, 4])
        #expect(demands.load(ordering: .relaxed) == 2)
    }

    @Test("a stream that was full at its end requests no more")
    func fullAtTheEnd() async throws {
        let demands = Atomic<Int>(0)
        let (stream, source) = RequestBodyStream.makeStream(bufferLimitBytes: 1) {
            demands.wrappingAdd(1, ordering: .relaxed)
        }
        #expect(source.offer([1, 2]) == .full)
        source.finish()
        #expect(try await stream.collect(limitBytes: 2) == [1, 2])
        #expect(demands.load(ordering: .relaxed) == 0)
    }

    @Test("a discarded stream loses its unread bytes, and fails each reader")
    func discarded() async throws {
        let (stream, source) = RequestBodyStream.makeStream(bufferLimitBytes: 100, onDemand: {})
        _ = source.offer([1])
        source.discard()
        source.finish()
        #expect(!stream.isComplete)
        await #expect(throws: RequestBodyError.canceled) { try await stream.collect(limitBytes: 10) }
        let (waiting, left) = RequestBodyStream.makeStream(bufferLimitBytes: 100, onDemand: {})
        let executor = StepExecutor()
        let reader = Task(executorPreference: executor) { () -> RequestBodyError? in
            do throws(RequestBodyError) {
                _ = try await waiting.collect(limitBytes: 10)
                return nil
            } catch {
                return error
            }
        }
        // Now it waits.
        executor.runAll()
        left.discard()
        executor.runAll()
        #expect(await reader.value == .canceled)
        let (complete, whole) = RequestBodyStream.makeStream(bufferLimitBytes: 100, onDemand: {})
        _ = whole.offer([1])
        whole.finish()
        whole.discard()
        #expect(try await complete.collect(limitBytes: 10) == [1])
    }

    @Test("a waiting reader gets the next bytes without buffering")
    func waitingReader() async throws {
        let (stream, source) = RequestBodyStream.makeStream(bufferLimitBytes: 1, onDemand: {})
        async let collected = stream.collect(limitBytes: 1000)
        for byte in 0..<100 as Range<UInt8> {
            _ = source.offer([byte])
            // The reader may wait, or find several bytes: each order gives the same content.
            await Task.yield()
        }
        source.finish()
        #expect(try await collected == Array(0..<100))
    }

    @Test("a failure follows the bytes that arrived before it, and repeats at each later read")
    func failure() async throws {
        let (stream, source) = RequestBodyStream.makeStream(bufferLimitBytes: 100, onDemand: {})
        _ = source.offer([1])
        source.fail(.clientLeft)
        source.fail(.tooSlow)
        source.finish()
        #expect(source.offer([2]) == .more)
        var parts = stream.makeAsyncIterator()
        #expect(try await parts.next() == [1])
        await #expect(throws: RequestBodyError.clientLeft) { try await parts.next() }
        await #expect(throws: RequestBodyError.clientLeft) { try await parts.next() }
    }

    @Test("a waiting reader gets the end and a failure")
    func waitingForTheEnd() async throws {
        for error in [nil, RequestBodyError.tooSlow] {
            let (stream, source) = RequestBodyStream.makeStream(bufferLimitBytes: 100, onDemand: {})
            let executor = StepExecutor()
            let reader = Task(executorPreference: executor) { () -> Result<[UInt8], RequestBodyError> in
                do throws(RequestBodyError) { return .success(try await stream.collect(limitBytes: 10)) } catch {
                    return .failure(error)
                }
            }
            // Now it waits.
            executor.runAll()
            if let error { source.fail(error) } else { source.finish() }
            executor.runAll()
            #expect(await reader.value == (error.map { .failure($0) } ?? .success([])))
        }
    }

    @Test("a content is complete from the end of its source on, read or not, and a failed one never")
    func completeness() async throws {
        let (stream, source) = RequestBodyStream.makeStream(bufferLimitBytes: 100, onDemand: {})
        _ = source.offer([1])
        #expect(!stream.isComplete)
        source.finish()
        #expect(stream.isComplete)
        source.fail(.clientLeft)
        #expect(stream.isComplete)
        #expect(try await stream.collect(limitBytes: 1) == [1])
        #expect(stream.isComplete)
        let (broken, failing) = RequestBodyStream.makeStream(bufferLimitBytes: 100, onDemand: {})
        failing.fail(.clientLeft)
        failing.finish()
        #expect(!broken.isComplete)
    }

    @Test("a canceled reader stops waiting")
    func cancellation() async {
        let (stream, source) = RequestBodyStream.makeStream(bufferLimitBytes: 100, onDemand: {})
        let reader = Task { () -> RequestBodyError? in
            do throws(RequestBodyError) {
                _ = try await stream.collect(limitBytes: 10)
                return nil
            } catch {
                return error
            }
        }
        reader.cancel()
        #expect(await reader.value == .canceled)
        source.finish()
    }

    @Test("collecting stops at its limit")
    func limit() async throws {
        #expect(try await RequestBodyStream([1, 2, 3]).collect(limitBytes: 3) == [1, 2, 3])
        await #expect(throws: RequestBodyError.tooLarge(limitBytes: 2)) {
            try await RequestBodyStream([1, 2, 3]).collect(limitBytes: 2)
        }
        #expect(try await RequestBodyStream([]).collect(limitBytes: 0) == [])
    }
}
