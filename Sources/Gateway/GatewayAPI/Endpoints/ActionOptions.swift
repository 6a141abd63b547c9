import ErrandHTTPServer
import ErrandJSON
import ErrandTaskEngine
import HTTPTypes

/// The optional content of action requests: nothing, or a small JSON object of options.
enum ActionOptions {
    private static let limitBytes = 4096
    /// The limit for bulk requests, enough for 1,000 identifiers.
    static let listLimitBytes = 64 << 10

    /// Admits a request with options.
    ///
    /// - Parameters:
    ///   - maxDepth: The nesting limit of the content, `server.max_depth`.
    ///   - limitBytes: The maximum size of the content.
    ///   - isOptional: True if the action needs no options.
    ///   - read: Reads the options from the object; unread members are refused. Without content the object is empty.
    ///   - perform: Performs the action.
    static func admit<Options: Sendable>(
        _ head: RequestHead, maxDepth: Int, limitBytes: Int = Self.limitBytes, isOptional: Bool = true,
        read: @escaping @Sendable (inout JSONObjectReader) -> Options,
        perform: @escaping @Sendable (Options) async -> ServerResponse
    ) -> RequestDisposition {
        head.collecting("no content, or a JSON object", atMost: limitBytes) { body in
            if !body.isEmpty, let refusal = JSONContent.refusal(of: head, isOptional: isOptional) {
                return .immediate(refusal.response(to: head))
            }
            let options: Options
            do throws(TaskRejection) {
                let content = body.isEmpty ? Array("{}".utf8) : body
                options = try JSONDocument.received(content, maxDepth: maxDepth).readObject(read)
            } catch {
                return .immediate(error.response(to: head, type: .invalidOptions))
            }
            return .deferred { await perform(options) }
        }
    }

    /// Admits a request without options: no content, or an empty object.
    ///
    /// - Parameters:
    ///   - maxDepth: The nesting limit of the content, `server.max_depth`.
    ///   - perform: Performs the action.
    static func admit(
        _ head: RequestHead, maxDepth: Int, perform: @escaping @Sendable () async -> ServerResponse
    ) -> RequestDisposition {
        admit(head, maxDepth: maxDepth) { _ in
        } perform: { () in
            await perform()
        }
    }
}
