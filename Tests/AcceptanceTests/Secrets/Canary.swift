import Foundation
import Testing

/// Secrets that can be told apart, and found wherever they should not be.
enum Canary {
    /// What each of them begins with.
    static let mark = "canary-"

    /// A secret that names its place.
    static func secret(_ place: String) -> String {
        "\(mark)\(place)-0123456789"
    }

    /// A key for `store.encryption_keys`, as it is written there: 32 bytes, each of them text.
    static let encryptionKey = Data("\(mark)encryption-key-0123456789".utf8).base64EncodedString()

    /// The secrets in a text, each once.
    static func found(in text: String) -> [String] {
        var found = Set(text.matches(of: /canary-[-_A-Za-z0-9]*/).map { String($0.output) })
        if text.contains(encryptionKey) { found.insert("the encryption key") }
        return found.sorted()
    }

    /// The secrets in the files of a folder, each once.
    static func found(inFilesOf folder: TemporaryFolder, below names: String...) throws -> [String] {
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return Set(
            files.filter { file in names.contains { file.hasPrefix($0) } }
                .compactMap { FileManager.default.contents(atPath: folder[$0]) }
                .flatMap { found(in: String(decoding: $0, as: UTF8.self)) }
        ).sorted()
    }

    /// Checks that a text has no secret in it.
    static func expectNone(
        in text: String, of place: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(found(in: text) == [], "\(place)", sourceLocation: sourceLocation)
    }
}
