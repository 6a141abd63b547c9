import ErrandFiles
import ErrandSupport
import Foundation
import Testing

@testable import ErrandDownloads

@Suite("The partial file of a download in a folder")
struct PartialPlaceTests {
    private let folder: TemporaryFolder
    private let downloads: DownloadFolder
    private static let url = "http://files.test/a?token=secret"

    init() throws {
        folder = try TemporaryFolder()
        downloads = DownloadFolder(path: folder.path + "/downloads")
    }

    private func place(_ key: String = "a") throws -> PartialPlace {
        try PartialPlace(of: key, in: downloads)
    }

    private var partials: String { "downloads/\(DownloadFolder.partialsName)" }

    private func data(_ place: PartialPlace, validator: String = #""v1""#) -> DownloadResumeData {
        DownloadResumeData(url: Self.url, validator: validator, received: 0, total: 10, partialPath: place.path)
    }

    /// Writes content and its record, as an attempt does.
    private func begin(_ place: PartialPlace, _ content: String = "12345", synchronized: Int64? = nil) throws {
        let file = try place.create()
        try file.begin(at: 0)
        try place.record(data(place), synchronized: synchronized)
        try file.write(Array(content.utf8))
    }

    @Test("is resumed by a later attempt at its end, also if that attempt is in another process")
    func resumed() throws {
        try begin(place())
        let place = try place()
        let found = try #require(place.resumeData(for: Self.url))
        #expect(found.received == 5)
        #expect(found.total == 10)
        #expect(found.validator == #""v1""#)
        let file = try PartialFile(opening: found.partialPath)
        #expect(try file.size() == 5)
    }

    @Test("is not resumed for another URL, without its record, or with a damaged one")
    func notResumed() throws {
        try begin(place())
        #expect(try place().resumeData(for: "http://files.test/b") == nil)
        try folder.write("{\"version\":1,", to: "\(partials)/a.resume")
        #expect(try place().resumeData(for: Self.url) == nil)
        try place().forget()
        #expect(try place().resumeData(for: Self.url) == nil)
        #expect(try place("other").resumeData(for: Self.url) == nil)
    }

    @Test("has only the bytes that were on the medium after the system was started again")
    func otherBoot() throws {
        try begin(place(), synchronized: 3)
        let path = "\(partials)/a.resume"
        let text = try String(contentsOfFile: folder[path], encoding: .utf8)
        let boot = try #require(SystemBoot.current)
        try folder.write(text.replacing(boot, with: "another"), to: path)
        #expect(try place().resumeData(for: Self.url)?.received == 3)
        // A record that is written while the rest is received says no more.
        try place().record(data(place()), synchronized: nil)
        let again = try String(contentsOfFile: folder[path], encoding: .utf8)
        try folder.write(again.replacing(boot, with: "another"), to: path)
        #expect(try place().resumeData(for: Self.url)?.received == 3)
    }

    @Test("loses its other bytes when it is opened after the system was started again, also if nothing is received")
    func strayBytes() throws {
        try begin(place(), synchronized: 3)
        let path = "\(partials)/a.resume"
        let text = try String(contentsOfFile: folder[path], encoding: .utf8)
        let boot = try #require(SystemBoot.current)
        try folder.write(text.replacing(boot, with: "another"), to: path)
        // Its path is valid as long as it lives.
        let place = try place()
        let found = try #require(place.resumeData(for: Self.url))
        let file = try PartialFile(opening: found.partialPath, keeping: found.received)
        #expect(try file.size() == 3)
        // What an attempt writes that has failed before its response.
        try place.record(found, synchronized: found.received)
        #expect(place.resumeData(for: Self.url)?.received == 3)
    }

    @Test("keeps the field from which the file is named")
    func named() throws {
        try begin(place())
        let place = try place()
        #expect(place.resumeData(for: Self.url)?.contentDisposition == nil)
        var data = data(place)
        data.contentDisposition = #"attachment; filename="a b""#
        try place.record(data, synchronized: nil)
        #expect(place.resumeData(for: Self.url)?.contentDisposition == data.contentDisposition)
    }

    @Test("is begun anew without a trace of the old content")
    func anew() throws {
        try begin(place())
        let file = try place().create()
        #expect(try file.size() == 0)
        #expect(try place().resumeData(for: Self.url) == nil)
    }

    @Test("is taken over by the download that repeats a failed one")
    func takenOver() async throws {
        try begin(place())
        try place("b").takeOver(from: "a")
        #expect(try place("b").resumeData(for: Self.url)?.received == 5)
        #expect(try await downloads.keys() == ["b"])
        // A download that has begun keeps its own.
        try begin(place(), "123")
        try place("b").takeOver(from: "a")
        #expect(try place("b").resumeData(for: Self.url)?.received == 5)
        #expect(try await downloads.keys() == ["a", "b"])
    }

    @Test("is removed with its record, and only the downloads themselves remain")
    func removed() async throws {
        try begin(place())
        try begin(place("b"))
        await downloads.removePartialFile(of: "a")
        await downloads.removePartialFile(of: "missing")
        #expect(try await downloads.keys() == ["b"])
    }

    @Test("leaves no record that an ended attempt has not completed, when it is removed, taken over or begun anew")
    func unfinishedRecord() async throws {
        try begin(place())
        let unfinished = "\(partials)/a.resume.new"
        try folder.write("{", to: unfinished)
        try place("b").takeOver(from: "a")
        #expect(try folder.files() == ["\(partials)/b.part", "\(partials)/b.resume"])
        try folder.write("{", to: unfinished)
        try place().forget()
        #expect(try await downloads.keys() == ["b"])
        try folder.write("{", to: unfinished)
        await downloads.removePartialFile(of: "a")
        #expect(try await downloads.keys() == ["b"])
    }

    @Test("leaves nothing of a record that could not be written")
    func failedRecord() throws {
        let place = try place()
        // A file cannot take the place of a folder.
        try folder.makeFolder("\(partials)/a.resume")
        #expect(throws: SystemFailure.self) { try place.record(data(place), synchronized: 5) }
        #expect(try folder.files().isEmpty)
    }

    @Test("is resumed with the longest fields of a response, and without a longer content type")
    func longFields() throws {
        try begin(place())
        let place = try place()
        let longest = String(repeating: "\u{1}", count: PartialRecord.maxFieldBytes)
        let tag = "\"\(String(repeating: "\\", count: StrongValidator.maxTagBytes - 2))\""
        // A download has fewer ranges than these.
        var written = ByteRanges([0..<5])
        let far = Int64.max / 2
        for number in Int64(0)..<64 { written.insert(far + 2 * number..<far + 2 * number + 1) }
        var data = DownloadResumeData(
            url: Self.url, validator: tag, written: written, total: .max, partialPath: place.path)
        (data.contentType, data.contentDisposition) = (longest, longest)
        try place.record(data, hasRanges: true, synchronized: 5)
        let found = try #require(place.resumeData(for: Self.url))
        #expect(found.validator == tag)
        #expect(found.contentType == longest)
        #expect(found.contentDisposition == longest)
        data.contentType = longest + "a"
        try place.record(data, hasRanges: true, synchronized: nil)
        let shortened = try #require(place.resumeData(for: Self.url))
        #expect(shortened.contentType == nil)
        #expect(shortened.contentDisposition == longest)
    }

    @Test("contains no secret of the URL in its record, and only its owner can read it")
    func secret() throws {
        try begin(place())
        let path = folder["\(partials)/a.resume"]
        #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("secret"))
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test("is never behind a symbolic link in place of the folder")
    func link() throws {
        try folder.makeFolder("downloads")
        try folder.makeFolder("outside")
        try FileManager.default.createSymbolicLink(
            atPath: folder[partials], withDestinationPath: folder["outside"])
        #expect(throws: SystemFailure.self) { try place() }
        #expect(try folder.files(below: "outside").isEmpty)
    }

    @Test("has a name that no client can choose for a folder of its own")
    func reserved() {
        #expect(throws: FileNameProblem.reserved) { try FileName(DownloadFolder.partialsName) }
    }

    @Test("exists nowhere as long as there was no download")
    func untouched() async throws {
        await downloads.removePartialFile(of: "a")
        #expect(try await downloads.keys().isEmpty)
        #expect(try folder.files().isEmpty)
    }

    @Test("of several connections has the ranges of its record, as far as the file reaches")
    func ranges() throws {
        let place = try place()
        let file = try place.create()
        try file.begin(at: 0)
        try file.write(Array("0123456789".utf8))
        let data = DownloadResumeData(
            url: Self.url, validator: #""v1""#, written: ByteRanges([0..<3, 5..<7, 9..<12]), total: 20,
            partialPath: place.path)
        try place.record(data, hasRanges: true, synchronized: nil)
        #expect(place.resumeData(for: Self.url)?.ranges == [0..<3, 5..<7, 9..<10])
        try place.record(data, hasRanges: true, synchronized: data.received)
        // What is written later is not on the medium.
        var later = data
        later.ranges = [0..<8]
        try place.record(later, hasRanges: true, synchronized: nil)
        #expect(place.resumeData(for: Self.url)?.received == 8)
        let path = "\(partials)/a.resume"
        let text = try String(contentsOfFile: folder[path], encoding: .utf8)
        try folder.write(text.replacing(try #require(SystemBoot.current), with: "another"), to: path)
        #expect(place.resumeData(for: Self.url)?.ranges == [0..<3, 5..<7, 9..<10])
        try folder.write(text.replacing("[0,8]", with: "[8,0]"), to: path)
        #expect(place.resumeData(for: Self.url) == nil)
    }
}
