import ErrandSupport
import Foundation
import Testing

/// Recognizable secrets, which tests search for in places where they must not be.
enum Canary {
    /// The prefix of all secrets.
    static let mark = "canary-"

    /// Returns a secret that names its place.
    static func secret(_ place: String) -> String {
        "\(mark)\(place)-0123456789"
    }

    /// A key for `store.encryption_keys`, as configured: 32 bytes, all of them text.
    static let encryptionKey = Data("\(mark)encryption-key-0123456789".utf8).base64EncodedString()

    /// Returns the secrets in a text, without duplicates.
    static func found(in text: String) -> [String] {
        var found = Set(text.matches(of: /canary-[-_A-Za-z0-9]*/).map { String($0.output) })
        if text.contains(encryptionKey) { found.insert("the encryption key") }
        return found.sorted()
    }

    /// Returns the secrets in the files of a folder, without duplicates.
    static func found(inFilesOf folder: TemporaryFolder, below names: String...) throws -> [String] {
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return Set(
            files.filter { file in names.contains { file.hasPrefix($0) } }
                .compactMap { FileManager.default.contents(atPath: folder[$0]) }
                .flatMap { found(in: String(decoding: $0, as: UTF8.self)) }
        ).sorted()
    }

    /// Checks that a text contains no secret.
    static func expectNone(
        in text: String, of place: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(found(in: text) == [], "\(place)", sourceLocation: sourceLocation)
    }
}
