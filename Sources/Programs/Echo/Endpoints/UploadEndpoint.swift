import ErrandCryptography
import ErrandHTTPServer
import ErrandJSON
import ErrandText
import HTTPTypes

extension Endpoint {
    /// `/upload`: reads content of any length as a stream, and returns its size and SHA-256.
    static let upload = Endpoint(
        [.post, .put, .patch], "/upload", summary: "reads content of any length, returns its size and SHA-256"
    ) { _, _ in
        .streamed { body in
            do throws(RequestBodyError) {
                return try await receive(body)
            } catch {
                return ProblemDetails(error).response()
            }
        }
    }

    private static func receive(_ body: RequestBodyStream) async throws(RequestBodyError) -> ServerResponse {
        var size: Int64 = 0
        var digest = SHA256()
        var parts = body.makeAsyncIterator()
        while let part = try await parts.next() {
            size += Int64(part.count)
            digest.update(part)
        }
        let sha256 = Hexadecimal.encode(digest.finish())
        return .json { writer in
            writer.beginObject()
            writer.member("size", size)
            writer.member("sha256", sha256)
            writer.endObject()
        }
    }
}
