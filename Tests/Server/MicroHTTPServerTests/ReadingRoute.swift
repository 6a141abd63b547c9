import ErrandHTTPServer
import ErrandSupport
import HTTPTypes

/// A handler that reads the content of its request part by part.
struct ReadingRoute {
    /// The first part has been read.
    let begun = Signal<Void>()
    /// The content has ended, or failed with an error.
    let failure = Signal<RequestBodyError?>()

    func route(_ path: String) -> Route {
        Route(.post, path) { _, _ in
            .streamed { body in
                var parts = body.makeAsyncIterator()
                do throws(RequestBodyError) {
                    while try await parts.next() != nil { begun.send() }
                    failure.send(nil)
                } catch {
                    failure.send(error)
                }
                return .text("")
            }
        }
    }
}
