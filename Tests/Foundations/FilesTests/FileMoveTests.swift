import ErrandSupport
import Foundation
import Glibc
import Testing

@testable import ErrandFiles

@Suite("The move of a file to a free path")
struct FileMoveTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("new", to: "a")
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: folder[name], encoding: .utf8)
    }

    @Test("leaves the file with the new name only")
    func moved() throws {
        try FileMove.move(folder["a"], toFree: folder["b"])
        #expect(try folder.files() == ["b"])
        #expect(try text("b") == "new")
    }

    @Test("replaces neither a file nor a link that leads nowhere")
    func taken() throws {
        try folder.write("old", to: "b")
        try FileManager.default.createSymbolicLink(atPath: folder["c"], withDestinationPath: "missing")
        for name in ["b", "c"] {
            let failure = #expect(throws: SystemFailure.self) {
                try FileMove.move(folder["a"], toFree: folder[name])
            }
            #expect(failure?.number == EEXIST)
        }
        #expect(try text("a") == "new")
        #expect(try text("b") == "old")
    }

    @Test(
        "takes two steps if the file system cannot do it in one, and then replaces nothing",
        arguments: [EINVAL, ENOSYS, ENOTSUP, ENOTTY, EPERM])
    func twoSteps(number: Int32) throws {
        let unsupported: (String, String) -> Int32 = { _, _ in
            errno = number
            return -1
        }
        try FileMove.move(folder["a"], toFree: folder["b"], by: unsupported)
        #expect(try folder.files() == ["b"])
        #expect(try text("b") == "new")
        try folder.write("other", to: "c")
        let failure = #expect(throws: SystemFailure.self) {
            try FileMove.move(folder["c"], toFree: folder["b"], by: unsupported)
        }
        #expect(failure?.number == EEXIST)
        #expect(try text("b") == "new")
        #expect(try text("c") == "other")
    }

    @Test("fails with the error of the single step if the file system has that")
    func failed() throws {
        let failure = #expect(throws: SystemFailure.self) {
            try FileMove.move(folder["a"], toFree: folder["none/b"])
        }
        #expect(failure?.isMissingFile == true)
        #expect(try text("a") == "new")
    }
}
