import ErrandDownloads
import ErrandJSON
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandTransfer
import HTTPTypes

/// The members of a task's `response` except `object` and `body`, separated by commas, without the braces.
enum ResponseDocument {
    /// Returns the members.
    ///
    /// - Parameter file: The file that the content became; without one, the member `file` is left out.
    static func members(of response: SessionResponse, file: ConfinedFile?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("status", response.head.status)
        writer.member("reason", response.head.reason)
        writer.member("http_version", response.head.version)
        writer.member("headers")
        HeaderDocument.write(response.shownHeaders, to: &writer)
        writer.member("url", response.shownURL)
        writer.member("redirects", response.redirects)
        writer.member("serializer", response.serializer.rawValue)
        if let file {
            writer.member("file")
            writer.beginObject()
            writer.member("path", file.path)
            writer.member("size", file.size)
            writer.endObject()
        }
        writer.endObject()
        return Array(writer.bytes.dropFirst().dropLast())
    }

    /// Returns the size of the file that the content became; `nil` if there is none.
    static func fileSize(in members: [UInt8]) -> Int64? {
        let size = JSONObject(storedMembers: members)?["file"]?.object?["size"]?.number?.int
        return size.map { Int64($0) }
    }
}

/// Header fields as a JSON object in their order; a name with several values has an array.
enum HeaderDocument {
    static func write(_ fields: HTTPFields, to writer: inout JSONWriter) {
        writer.beginObject()
        // Fields are few: comparing their names costs less than a table of them.
        for (index, field) in fields.enumerated()
        where !fields.prefix(index).contains(where: { $0.name == field.name }) {
            writer.member(field.name.rawName)
            guard fields.dropFirst(index + 1).contains(where: { $0.name == field.name }) else {
                writer.string(field.value)
                continue
            }
            writer.beginArray()
            for other in fields.dropFirst(index) where other.name == field.name { writer.string(other.value) }
            writer.endArray()
        }
        writer.endObject()
    }
}
