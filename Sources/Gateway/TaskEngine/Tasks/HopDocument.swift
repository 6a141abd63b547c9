import ErrandJSON
import ErrandSessionCore
import ErrandTaskStore

/// A redirect or an authentication challenge that an attempt has followed, as clients see it.
enum HopDocument {
    /// Returns the hop with a JSON object.
    ///
    /// - Parameter attempt: The number of the attempt.
    static func stored(_ hop: FollowedHop, attempt: Int) -> StoredHop {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("attempt", attempt)
        let kind: StoredEvent.Kind
        switch hop {
        case .redirect(let redirect):
            kind = .redirect
            writer.member("status", redirect.status)
            writer.member("from", redirect.from)
            writer.member("to", redirect.to)
        case .challenge(let challenge):
            kind = .challenge
            writer.member("status", 401)
            writer.member("url", challenge.url)
            writer.member("schemes")
            writer.beginArray()
            for scheme in challenge.schemes { writer.string(scheme) }
            writer.endArray()
        }
        writer.endObject()
        return StoredHop(kind, writer.bytes)
    }
}
