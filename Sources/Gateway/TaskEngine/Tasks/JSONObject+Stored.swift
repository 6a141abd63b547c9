package import ErrandJSON
package import ErrandTaskStore

extension JSONObject {
    /// Reads a stored document; `nil` if it cannot be read.
    init?(stored document: [UInt8]) {
        guard let object = (try? JSONDocument.parse(document))?.root.object else { return nil }
        self = object
    }

    /// Reads a document that is stored without its braces; `nil` if it cannot be read.
    init?(storedMembers members: [UInt8]) {
        self.init(stored: [UInt8(ascii: "{")] + members + [UInt8(ascii: "}")])
    }
}

extension TaskResult {
    /// The document of the attempts, an array; `nil` if it cannot be read.
    package var attemptsDocument: JSONDocument? {
        try? JSONDocument.parse([UInt8(ascii: "[")] + attempts + [UInt8(ascii: "]")])
    }

    /// The path of the file that the content became, below `files.downloads`; `nil` if there is none.
    package var filePath: String? {
        response.flatMap { JSONObject(storedMembers: $0) }?["file"]?.object?["path"]?.string
    }
}
