extension OpenAPIDocument {
    /// The paths of batches and bulk calls.
    static let bulkPaths = ([batchPath] + bulkCalls.map(\.path)).joined(separator: "\n")

    private static let batchPath = #"""
          /v1/tasks:batch:
            post:
              tags: [tasks]
              operationId: createTasks
              summary: Create many tasks
              description: |
                Stores all valid tasks in one write. Each task is accepted or refused on its own, and has its own
                status in `results`. Each task counts as a request against the rate of the token.

                The header field `Idempotency-Key` is refused: each item has its own `idempotency_key`.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - {$ref: "#/components/parameters/TraceParent"}
                - {$ref: "#/components/parameters/TraceState"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/BatchRequest"}
              responses:
                "200":
                  description: The outcome of each task, in the order of the request.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/BatchResult"}
                \#(problems(400, 401, 403, 413, 415, 422, 429, 503))
        """#

    private static let bulkCalls = [
        BulkCall(
            action: "cancel", identifier: "cancelTasks", summary: "Cancel the selected tasks",
            description: """
                Leaves out tasks that are done or being canceled.
                """),
        BulkCall(
            action: "suspend", identifier: "suspendTasks", summary: "Suspend the selected tasks",
            description: """
                Leaves out tasks that are done, being canceled or suspended already.
                """),
        BulkCall(
            action: "resume", identifier: "resumeTasks", summary: "Resume the selected tasks",
            description: """
                Leaves out tasks that are not suspended.
                """),
        BulkCall(
            action: "run-now", identifier: "runTasksNow", summary: "Start the selected tasks now",
            description: """
                Applies to tasks that are scheduled, waiting or queued, from the oldest to the newest, or in the order
                of `ids`. Leaves out the others, and tasks that wait for their content.
                """),
        BulkCall(
            action: "retry", identifier: "retryTasks", summary: "Retry the selected tasks",
            content: "BulkRetryRequest", further: [409],
            description: """
                Applies to finished tasks, from the oldest to the newest, or in the order of `ids`. Leaves out tasks
                that were retried already, unless `again` is true.

                If a session is closed or its queue is full, the call retries the tasks of the other sessions, and
                returns the problem. Repeat the call for the rest, also with the same `Idempotency-Key`.
                """),
        BulkCall(
            action: "delete", identifier: "deleteTasks", summary: "Delete the selected tasks",
            description: """
                Cancels a task that is not done, and removes it with its content. Leaves out a task whose attempt does
                not end within 10 s.
                """),
    ]

    /// A call that applies to the tasks that its content selects.
    private struct BulkCall {
        let action: String
        let identifier: String
        let summary: String
        /// The schema of the content.
        var content = "BulkRequest"
        /// The statuses of problems that only this call has.
        var further: [Int] = []
        /// The tasks to which the call applies.
        let description: String

        var path: String {
            // The first line begins where the text is inserted.
            let lines = description.replacing("\n", with: "\n        ").replacing("\n        \n", with: "\n\n")
            return #"""
                  /v1/tasks:\#(action):
                    post:
                      tags: [tasks]
                      operationId: \#(identifier)
                      summary: \#(summary)
                      description: |
                        \#(lines)

                        If the call ends early, the problem has `matched` and `changed`, the counts so far.
                      security:
                        - bearer: ["tasks:write"]
                      parameters:
                        - {$ref: "#/components/parameters/IdempotencyKey"}
                      requestBody:
                        required: true
                        content:
                          application/json:
                            schema: {$ref: "#/components/schemas/\#(content)"}
                      responses:
                        "200":
                          description: The numbers of tasks.
                          headers:
                            Idempotent-Replayed: {$ref: "#/components/headers/IdempotentReplayed"}
                            X-Request-Id: {$ref: "#/components/headers/RequestID"}
                          content:
                            application/json:
                              schema: {$ref: "#/components/schemas/BulkResult"}
                        \#(problems([400, 401, 403, 413, 415, 422, 429, 503] + further))
                """#
        }
    }
}
