import ErrandSupport
import ErrandTransfer
import Testing

@testable import ErrandDownloads

@Suite("The place of a download below a folder")
struct ConfinedPlaceTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("is shown relative to the folder, wherever its path is, and paths of other descriptors are not changed")
    func shown() throws {
        for (texts, prefix, itself) in [(["b", "c"], "b/", "b"), (["c"], "", ".")] {
            let names = try texts.map { text in try FileName(text) }
            let place = ConfinedPlace(below: DownloadFolder(path: folder.path)) { _, _ in names }
            #expect(place.shown("/proc/self/fd/1/c") == "/proc/self/fd/1/c", "no place yet")
            let path = try place.path(for: ResponseHead(status: 200), from: "http://example.com/")
            #expect(path.hasSuffix("/c"))
            let open = String(path.dropLast(2))
            #expect(place.shown(path) == "\(prefix)c")
            #expect(place.shown("No room: \(open)") == "No room: \(itself)")
            #expect(place.shown("\(open): not \(open)7/c or \(path)") == "\(itself): not \(open)7/c or \(prefix)c")
        }
    }

    @Test("is shown relative to the folder also if the name of the file begins with a combining mark")
    func combiningMark() throws {
        let name = try FileName("\u{301}c")
        let place = ConfinedPlace(below: DownloadFolder(path: folder.path)) { _, _ in [name] }
        let path = try place.path(for: ResponseHead(status: 200), from: "http://example.com/")
        #expect(Array(place.shown(path).utf8) == Array(name.text.utf8))
    }
}
