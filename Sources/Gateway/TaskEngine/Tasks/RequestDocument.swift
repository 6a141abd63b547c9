import ErrandJSON
import ErrandSessionCore
import HTTPTypes

/// The `request` member of a task: the sent request without its secrets.
enum RequestDocument {
    static func bytes(of request: PreparedRequest) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("method")
        writer.string(request.method.rawValue)
        writer.member("url")
        writer.string(request.shownURL)
        writer.member("headers")
        HeaderDocument.write(request.shownHeaders, to: &writer)
        writer.member("body_size")
        if let size = request.bodySize { writer.int(size) } else { writer.null() }
        writer.member("curl")
        writer.string(request.curlCommand)
        writer.endObject()
        return writer.bytes
    }

    /// Returns the member for a request that no session has prepared, with the values that are known.
    static func bytes(method: String, url: String, bodySize: Int) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("method")
        writer.string(method)
        writer.member("url")
        writer.string(url)
        writer.member("headers")
        writer.beginObject()
        writer.endObject()
        writer.member("body_size")
        writer.int(bodySize)
        writer.member("curl")
        writer.null()
        writer.endObject()
        return writer.bytes
    }
}
