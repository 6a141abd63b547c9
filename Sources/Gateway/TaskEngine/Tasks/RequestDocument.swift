import ErrandJSON
import ErrandSessionCore
import HTTPTypes

/// The `request` member of a task: the sent request without its secrets.
enum RequestDocument {
    static func bytes(of request: PreparedRequest) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("method", request.method.rawValue)
        writer.member("url", request.shownURL)
        writer.member("headers")
        HeaderDocument.write(request.shownHeaders, to: &writer)
        writer.member("body_size", request.bodySize)
        writer.member("curl", request.curlCommand)
        writer.endObject()
        return writer.bytes
    }

    /// Returns the member for a request that no session has prepared, with the values that are known.
    static func bytes(method: String, url: String, bodySize: Int) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("method", method)
        writer.member("url", url)
        writer.member("headers")
        writer.beginObject()
        writer.endObject()
        writer.member("body_size", bodySize)
        writer.member("curl")
        writer.null()
        writer.endObject()
        return writer.bytes
    }
}
