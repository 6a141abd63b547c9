import JSON

/// What may be sent with a cancel: nothing, or an object.
enum CancelOptions {
    /// Refuses everything else: `keep_resume_data` belongs to downloads.
    static func check(_ body: [UInt8]) throws(TaskRejection) {
        guard !body.isEmpty else { return }
        let document: JSONDocument
        do {
            document = try JSONDocument.parse(body)
        } catch {
            throw .malformed(error)
        }
        let problems = JSONProblems()
        JSONObjectReader(document.root, reporting: problems)?.finish(
            refusing: ["keep_resume_data": "download tasks are not available in this version"])
        guard problems.problems.isEmpty else { throw .invalid(problems.problems) }
    }
}
