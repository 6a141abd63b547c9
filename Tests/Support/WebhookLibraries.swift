import Foundation

/// Independent libraries that verify webhooks: the Python packages standardwebhooks and svix.
package enum WebhookLibraries {
    /// A received webhook, with the secret for its verification.
    package struct Webhook: Encodable, Sendable {
        var secret: String
        var id: String
        var timestamp: String
        var signature: String
        var body: String

        /// Creates a webhook from a request; missing fields are empty.
        package init(_ request: ScriptedRequest, secret: String) {
            self.secret = secret
            id = request["webhook-id"] ?? ""
            timestamp = request["webhook-timestamp"] ?? ""
            signature = request["webhook-signature"] ?? ""
            body = String(decoding: request.body, as: UTF8.self)
        }
    }

    /// Returns the verdict of each library: `valid`, or the reason for a refusal.
    ///
    /// - Parameter folder: A folder for a temporary file.
    /// - Throws: ``HTTPBin/Unavailable`` if the libraries are not installed.
    package static func verdicts(on webhook: Webhook, in folder: String) async throws -> [String: String] {
        let python = ProjectFolder.root.appendingPathComponent(".build/test-python/bin/python").path
        guard FileManager.default.isExecutableFile(atPath: python) else {
            throw HTTPBin.Unavailable(
                description: "\(python) is missing: run Scripts/setup test, which installs standardwebhooks and svix")
        }
        let file = URL(fileURLWithPath: folder).appendingPathComponent("webhook-\(UUID()).json")
        try JSONEncoder().encode(webhook).write(to: file)
        let script = ProjectFolder.root.appendingPathComponent("Scripts/verify-webhook").path
        let result = try await ChildProcess(python, [script, file.path]).result()
        guard result.exit == .status(0) else { throw HTTPBin.Unavailable(description: result.errors) }
        var verdicts: [String: String] = [:]
        for line in result.output.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 1)
            if words.count == 2 { verdicts[String(words[0])] = String(words[1]) }
        }
        return verdicts
    }
}
