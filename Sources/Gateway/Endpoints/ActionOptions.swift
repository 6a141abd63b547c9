import HTTPServer
import HTTPTypes
import JSON

/// What may be sent with a call that does something: nothing, or a small object of options.
enum ActionOptions {
    private static let limitBytes = 4096
    /// The 1,000 identifiers of a bulk call, and more than any other options.
    static let listLimitBytes = 64 << 10

    /// Admits a call that takes options.
    ///
    /// - Parameters:
    ///   - refused: Members that a later version knows, with the reason to refuse them.
    ///   - limitBytes: The most that may be sent.
    ///   - read: Takes the options out of the object; what it leaves is refused. Without content it gets an empty one.
    ///   - perform: Does it.
    static func admit<Options: Sendable>(
        _ head: RequestHead, refusing refused: [String: String] = [:], limitBytes: Int = Self.limitBytes,
        read: @escaping @Sendable (inout JSONObjectReader) -> Options,
        perform: @escaping @Sendable (Options) async -> ServerResponse
    ) -> HTTPServer.Admission {
        let tooLarge = head.answer(
            .contentTooLarge, "this takes a JSON object of at most \(limitBytes) bytes, or nothing")
        return .buffered(limitBytes: limitBytes, tooLarge: tooLarge) { body in
            if !body.isEmpty, let refusal = JSONContent.refusal(of: head) { return .now(refusal) }
            let options: Options
            do throws(TaskRejection) {
                options = try parse(body.isEmpty ? Array("{}".utf8) : body, refusing: refused, read)
            } catch {
                return .now(error.answer(to: head, type: .invalidOptions))
            }
            return .later { await perform(options) }
        }
    }

    /// Admits a call that takes none: only an empty object.
    static func admit(
        _ head: RequestHead, refusing refused: [String: String] = [:],
        perform: @escaping @Sendable () async -> ServerResponse
    ) -> HTTPServer.Admission {
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
