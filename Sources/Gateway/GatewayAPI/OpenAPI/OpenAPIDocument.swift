import ErrandSettings
import ErrandYAML

/// The description of the API in OpenAPI 3.1, for generators of clients and for tools that try an API.
///
/// Each part is the text of a topic. Tests compare the whole with the routes, and `Scripts/check-openapi` with the
/// responses of a gateway, which it also sends each member of a request.
package enum OpenAPIDocument {
    /// The document as YAML.
    package static let yaml =
        ([head, "paths:"] + paths + ["webhooks:", webhooks, "components:"] + components).joined(separator: "\n") + "\n"

    /// The document as JSON, with the same members.
    package static let json: [UInt8] = {
        do {
            var reporter = Reporter()
            let json = YAMLToJSON.convert(try YAMLReader.parse(Array(yaml.utf8)).root, &reporter)
            guard let problem = reporter.problem else { return json }
            throw problem
        } catch {
            // The text is constant, and a test converts it: no input can cause it.
            preconditionFailure("the OpenAPI document: \(error)")
        }
    }()

    private static let paths = [
        taskPaths, taskActionPaths, bulkPaths, eventPaths, schedulePaths, sessionPaths, operationPaths,
    ]

    private static let components = [
        securitySchemes, "  parameters:", commonParameters, taskFilterParameters, "  headers:", headers, "  responses:",
        responses, "  schemas:", commonSchemas, taskRequestSchemas, taskRequestPartSchemas, taskSchemas,
        taskDetailSchemas, bulkSchemas, eventSchemas, scheduleSchemas, sessionSchemas, operationSchemas,
    ]

    /// Keeps the first problem.
    private struct Reporter: YAMLProblemReporter {
        var problem: Problem?

        mutating func enter<Result>(
            _ step: YAMLPath.Step, node: YAMLNode?, _ body: (inout Reporter) -> Result
        ) -> Result {
            body(&self)
        }

        mutating func report(_ message: String) {
            if problem == nil { problem = Problem(message: message) }
        }
    }

    private struct Problem: Error {
        let message: String
    }
}
