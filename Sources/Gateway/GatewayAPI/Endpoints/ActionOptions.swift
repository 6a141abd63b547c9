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
    ///   - refused: Members reserved for later versions, with the reason to refuse them.
    ///   - limitBytes: The maximum size of the content.
    ///   - isOptional: True if the action needs no options.
    ///   - read: Reads the options from the object; unread members are refused. Without content the object is empty.
    ///   - perform: Performs the action.
    static func admit<Options: Sendable>(
        _ head: RequestHead, refusing refused: [String: String] = [:], limitBytes: Int = Self.limitBytes,
        isOptional: Bool = true, read: @escaping @Sendable (inout JSONObjectReader) -> Options,
        perform: @escaping @Sendable (Options) async -> ServerResponse
    ) -> RequestDisposition {
        let tooLarge: @Sendable () -> ServerResponse = {
            head.response(
                .contentTooLarge, "expected no content, or a JSON object of at most \(limitBytes) bytes")
        }
        return .buffered(limitBytes: limitBytes, tooLarge: tooLarge) { body in
            if !body.isEmpty, let refusal = JSONContent.refusal(of: head, isOptional: isOptional) {
                return .immediate(refusal)
            }
            let options: Options
            do throws(TaskRejection) {
                options = try parse(body.isEmpty ? Array("{}".utf8) : body, refusing: refused, read)
            } catch {
                return .immediate(error.response(to: head, type: .invalidOptions))
            }
            return .deferred { await perform(options) }
        }
    }

    /// Admits a request without options: no content, or an empty object.
    static func admit(
        _ head: RequestHead, refusing refused: [String: String] = [:],
        perform: @escaping @Sendable () async -> ServerResponse
    ) -> RequestDisposition {
        admit(head, refusing: refused) { _ in
        } perform: { () in
            await perform()
        }
    }

    private static func parse<Options>(
        _ body: [UInt8], refusing refused: [String: String], _ read: (inout JSONObjectReader) -> Options
    ) throws(TaskRejection) -> Options {
        let document: JSONDocument
        do {
            document = try JSONDocument.parse(body)
        } catch {
            throw .malformed(error)
        }
        let problems = JSONProblems()
        guard var object = JSONObjectReader(document.root, reporting: problems) else {
            throw .invalid(problems.problems)
        }
        let options = read(&object)
        object.finish(refusing: refused)
        guard problems.problems.isEmpty else { throw .invalid(problems.problems) }
        return options
    }
}
