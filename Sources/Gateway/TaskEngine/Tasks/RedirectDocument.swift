import ErrandJSON
import ErrandSessionCore

/// A redirect that an attempt has followed, as clients see it.
enum RedirectDocument {
    /// Returns the redirect as a JSON object.
    ///
    /// - Parameter attempt: The number of the attempt.
    static func bytes(of redirect: FollowedRedirect, attempt: Int) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("attempt", attempt)
        writer.member("status", redirect.status)
        writer.member("from", redirect.from)
        writer.member("to", redirect.to)
        writer.endObject()
        return writer.bytes
    }
}
