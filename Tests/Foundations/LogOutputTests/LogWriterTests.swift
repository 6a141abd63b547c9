import ErrandSupport
import Foundation
import Glibc
import Testing

@testable import ErrandLogOutput

@Suite("The thread that writes the log", .timeLimit(.hang))
struct LogWriterTests {
    /// Returns a line that reports losses.
    private static func describe(_ losses: LogRing.Losses) -> [UInt8] {
        Array("dropped \(losses.ordinary) \(losses.audit)\n".utf8)
    }

    private static func line(_ number: Int) -> [UInt8] {
        Array("line \(number)\n".utf8)
    }

    /// Reads a pipe to its end on a separate thread.
    private static func contents(of pipe: Pipe) -> Signal<[Substring]> {
        let read = Signal<[Substring]>()
        BlockingThread.run {
            let data = pipe.fileHandleForReading.readDataToEndOfFile()
            read.send(String(decoding: data, as: UTF8.self).split(separator: "\n"))
        }
        return read
    }

    @Test("Lines of many threads arrive complete, and those of each thread in order")
    func manyThreads() async throws {
        let pipe = Pipe()
        let writer = try LogWriter(
            OutputDescriptor(pipe.fileHandleForWriting.fileDescriptor), describing: Self.describe)
        let lines = Self.contents(of: pipe)
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    for number in 0..<500 { writer.write(Array("\(thread) \(number)\n".utf8)) }
                }
            }
        }
        #expect(writer.finish(within: .seconds(600)))
        try pipe.fileHandleForWriting.close()
        let found = await lines.wait()
        #expect(found.count == 4000)
        for thread in 0..<8 {
            #expect(found.filter { $0.hasPrefix("\(thread) ") } == (0..<500).map { "\(thread) \($0)" })
        }
    }

    @Test("The first line and urgent lines are written at once; other lines wait for the end of a pause, or of all")
    func lingering() throws {
        let pipe = Pipe()
        // A pause that outlasts the test: whatever is read below was written without its end.
        let writer = try LogWriter(
            OutputDescriptor(pipe.fileHandleForWriting.fileDescriptor), lingering: .seconds(3600),
            describing: Self.describe)
        func read(_ count: Int) -> String {
            let (_, data) = pipe.fileHandleForReading.readAll(count)
            return String(decoding: data, as: UTF8.self)
        }
        writer.write(Self.line(1))
        #expect(read(7) == "line 1\n")
        for number in 2...4 {
            writer.write(Self.line(number))
            writer.write(Self.line(number), isUrgent: true)
            #expect(read(14) == "line \(number)\nline \(number)\n")
        }
        writer.write(Self.line(5))
        #expect(writer.finish(within: .seconds(600)))
        #expect(read(7) == "line 5\n")
    }

    @Test("A pause ends by itself, and its lines are written")
    func pause() throws {
        let pipe = Pipe()
        let writer = try LogWriter(
            OutputDescriptor(pipe.fileHandleForWriting.fileDescriptor), lingering: .milliseconds(1),
            describing: Self.describe)
        for number in 1...9 {
            writer.write(Self.line(number))
            writer.write(Self.line(number))
            let (_, data) = pipe.fileHandleForReading.readAll(14)
            #expect(String(decoding: data, as: UTF8.self) == "line \(number)\nline \(number)\n")
        }
        #expect(writer.finish(within: .seconds(600)))
    }

    @Test("A blocked reader delays no thread; afterwards it gets the number of missed lines")
    func reader() async throws {
        let pipe = Pipe()
        let writer = try LogWriter(
            OutputDescriptor(pipe.fileHandleForWriting.fileDescriptor), limitBytes: 10_000, describing: Self.describe)
        // The capacity of a pipe is 64 KiB; this is a megabyte.
        let count = 100_000
        for number in 0..<count { writer.write(Self.line(number), as: number % 10_000 == 0 ? .audit : .ordinary) }
        let lines = Self.contents(of: pipe)
        #expect(writer.finish(within: .seconds(600)))
        try pipe.fileHandleForWriting.close()
        let found = await lines.wait()
        let told = found.filter { $0.hasPrefix("dropped ") }
        let dropped = told.compactMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } }.reduce(0, +)
        #expect(dropped > 0)
        #expect(found.count - told.count + dropped == count)
        // All audit lines are kept.
        for number in stride(from: 0, to: count, by: 10_000) { #expect(found.contains("line \(number)")) }
        #expect(told.allSatisfy { $0.hasSuffix(" 0") })
        #expect(found.last == "line \(count - 1)")
    }

    @Test("The end waits no longer than its limit for a blocked reader")
    func boundedEnd() async throws {
        let pipe = Pipe()
        let writer = try LogWriter(
            OutputDescriptor(pipe.fileHandleForWriting.fileDescriptor), describing: Self.describe)
        for number in 0..<20_000 { writer.write(Self.line(number)) }
        #expect(!writer.finish(within: .milliseconds(50)))
        // The reader continues.
        let lines = Self.contents(of: pipe)
        #expect(writer.finish(within: .seconds(600)))
        try pipe.fileHandleForWriting.close()
        #expect(await lines.wait().count == 20_000)
    }

    @Test("A closed reader neither ends the process nor delays it")
    func goneReader() throws {
        let pipe = Pipe()
        let writer = try LogWriter(
            OutputDescriptor(pipe.fileHandleForWriting.fileDescriptor), describing: Self.describe)
        try pipe.fileHandleForReading.close()
        for number in 0..<20_000 { writer.write(Self.line(number)) }
        #expect(writer.finish(within: .seconds(600)))
    }

    @Test("A pipe that another process has made non-blocking gets every byte")
    func nonBlocking() async throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
        let written = Signal<Int>()
        BlockingThread.run { written.send(OutputDescriptor(descriptor).write(bytes)) }
        let (count, _) = pipe.fileHandleForReading.readAll(bytes.count)
        #expect(count == bytes.count)
        #expect(await written.wait() == bytes.count)
    }

    @Test("A full disk neither ends the process nor delays it")
    func fullDisk() throws {
        // Every write to it fails with ENOSPC.
        let full = try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full"))
        let writer = try LogWriter(OutputDescriptor(full.fileDescriptor), describing: Self.describe)
        for number in 0..<100 { writer.write(Self.line(number)) }
        #expect(writer.finish(within: .seconds(600)))
        #expect(OutputDescriptor(full.fileDescriptor).write(Self.line(1)) == 0)
    }

    /// In a process of its own, whose files have room for ten bytes: writes two lines, and one more when there is room.
    private static func writeWithoutRoom() async throws {
        signal(SIGXFSZ, SIG_IGN)
        let folder = try TemporaryFolder()
        let file = try folder.write("", to: "log")
        let log = try #require(FileHandle(forWritingAtPath: file))
        let output = OutputDescriptor(log.fileDescriptor)
        let written = EventLog<Int>()
        let writer = try LogWriter(describing: describe) { bytes in
            let count = output.write(bytes)
            written.append(count)
            return count
        }
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        var limit = rlimit()
        try #require(getrlimit(resource, &limit) == 0)
        var low = limit
        low.rlim_cur = 10
        try #require(setrlimit(resource, &low) == 0)
        writer.write(line(1))
        _ = await written.first(1)
        writer.write(line(2))
        let counts = await written.first(2)
        try #require(setrlimit(resource, &limit) == 0)
        writer.write(line(3))
        #expect(writer.finish(within: .seconds(600)))
        #expect(counts == [7, 3])
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "line 1\nlin\nline 3\ndropped 1 0\n")
        try log.close()
    }

    @Test("A line that a full disk cuts off ends before the next one, after which the number of lost lines is reported")
    func cutLine() async {
        await #expect(processExitsWith: .success) {
            endInTime()
            try await Self.writeWithoutRoom()
        }
    }
}

extension FileHandle {
    /// Reads a number of bytes, in pieces as they arrive.
    fileprivate func readAll(_ count: Int) -> (Int, Data) {
        var data = Data()
        while data.count < count {
            let piece = availableData
            guard !piece.isEmpty else { break }
            data += piece
        }
        return (data.count, data)
    }
}
