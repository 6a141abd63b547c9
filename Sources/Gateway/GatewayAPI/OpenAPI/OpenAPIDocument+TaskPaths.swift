extension OpenAPIDocument {
    /// The paths of tasks.
    static let taskPaths = #"""
          /v1/tasks:
            post:
              tags: [tasks]
              operationId: createTask
              summary: Create a task
              description: |
                The task is durable before the response. A form creates an upload together with its content.

                If another client removes the task during the wait, the response is a 200 with what remains of it,
                without `Location`. If `Idempotency-Key` has created the task before, the response is a 200 with
                `Idempotent-Replayed`, also while the task runs.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - $ref: "#/components/parameters/Wait"
                - $ref: "#/components/parameters/PreferWait"
                - $ref: "#/components/parameters/IdempotencyKey"
                - $ref: "#/components/parameters/TraceParent"
                - $ref: "#/components/parameters/TraceState"
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/TaskCreation"}
                  multipart/form-data:
                    schema: {$ref: "#/components/schemas/UploadForm"}
                    encoding:
                      task: {contentType: application/json}
              responses:
                "200":
                  description: The task has ended during the wait, or the key has created it before.
                  headers:
                    Location: {$ref: "#/components/headers/Location"}
                    ETag: {$ref: "#/components/headers/ETag"}
                    Preference-Applied: {$ref: "#/components/headers/PreferenceApplied"}
                    Idempotent-Replayed: {$ref: "#/components/headers/IdempotentReplayed"}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema:
                        anyOf:
                          - $ref: "#/components/schemas/Task"
                          - $ref: "#/components/schemas/RemovedTask"
                          - $ref: "#/components/schemas/TaskFields"
                "202":
                  description: The task was created, and has not ended.
                  headers:
                    Location: {$ref: "#/components/headers/Location"}
                    ETag: {$ref: "#/components/headers/ETag"}
                    Preference-Applied: {$ref: "#/components/headers/PreferenceApplied"}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema:
                        anyOf:
                          - $ref: "#/components/schemas/Task"
                          - $ref: "#/components/schemas/TaskFields"
                \#(problems(400, 401, 403))
                "408":
                  description: The form did not arrive in time.
                  content:
                    application/problem+json:
                      schema: {$ref: "#/components/schemas/Problem"}
                \#(problems(409, 413, 415, 422, 429, 503))
            get:
              tags: [tasks]
              operationId: listTasks
              summary: List tasks
              description: Returns the tasks that match all filters. A large page is streamed.
              security:
                - bearer: ["tasks:read"]
              parameters:
                - $ref: "#/components/parameters/FilterState"
                - $ref: "#/components/parameters/FilterSession"
                - $ref: "#/components/parameters/FilterKind"
                - $ref: "#/components/parameters/FilterParent"
                - $ref: "#/components/parameters/FilterLabels"
                - $ref: "#/components/parameters/FilterCreatedAfter"
                - $ref: "#/components/parameters/FilterCreatedBefore"
                - $ref: "#/components/parameters/FilterFinishedAfter"
                - $ref: "#/components/parameters/FilterFinishedBefore"
                - $ref: "#/components/parameters/FilterSchedule"
                - $ref: "#/components/parameters/FilterRetried"
                - $ref: "#/components/parameters/FilterError"
                - $ref: "#/components/parameters/QueryStatus"
                - $ref: "#/components/parameters/FilterMethod"
                - $ref: "#/components/parameters/FilterHold"
                - $ref: "#/components/parameters/QueryFields"
                - $ref: "#/components/parameters/QuerySort"
                - $ref: "#/components/parameters/PageSize"
                - $ref: "#/components/parameters/PageToken"
              responses:
                "200":
                  description: A page of the list.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/TaskPage"}
                \#(problems(400, 401, 403, 429, 503))
          /v1/tasks/counts:
            get:
              tags: [tasks]
              operationId: countTasks
              summary: Count tasks by state
              description: Counts the tasks that match all filters.
              security:
                - bearer: ["tasks:read"]
              parameters:
                - $ref: "#/components/parameters/FilterState"
                - $ref: "#/components/parameters/FilterSession"
                - $ref: "#/components/parameters/FilterKind"
                - $ref: "#/components/parameters/FilterParent"
                - $ref: "#/components/parameters/FilterLabels"
                - $ref: "#/components/parameters/FilterCreatedAfter"
                - $ref: "#/components/parameters/FilterCreatedBefore"
                - $ref: "#/components/parameters/FilterFinishedAfter"
                - $ref: "#/components/parameters/FilterFinishedBefore"
                - $ref: "#/components/parameters/FilterSchedule"
                - $ref: "#/components/parameters/FilterRetried"
                - $ref: "#/components/parameters/FilterError"
                - $ref: "#/components/parameters/QueryStatus"
                - $ref: "#/components/parameters/FilterMethod"
                - $ref: "#/components/parameters/FilterHold"
              responses:
                "200":
                  description: The numbers of tasks.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/TaskCounts"}
                \#(problems(400, 401, 403, 429, 503))
          /v1/tasks/{id}:
            parameters:
              - $ref: "#/components/parameters/PathTaskID"
            get:
              tags: [tasks]
              operationId: getTask
              summary: Read a task
              description: >-
                Waits for the end or a change of the task if `wait` or `Prefer` asks for it. The conditions are
                evaluated after the wait.
              security:
                - bearer: ["tasks:read"]
              parameters:
                - $ref: "#/components/parameters/Wait"
                - $ref: "#/components/parameters/PreferWait"
                - name: wait_for
                  in: query
                  description: >-
                    What to wait for: the end, or any change from the revision that `If-None-Match` names. `change`
                    needs both a wait and that field.
                  schema: {type: string, enum: [done, change], default: done}
                - name: view
                  in: query
                  description: The default and only view.
                  schema: {type: string, enum: [full], default: full}
                - $ref: "#/components/parameters/QueryFields"
                - $ref: "#/components/parameters/IfMatch"
                - $ref: "#/components/parameters/IfNoneMatch"
              responses:
                "200":
                  description: The task, with the members of `fields` if that is given.
                  headers:
                    ETag: {$ref: "#/components/headers/ETag"}
                    Preference-Applied: {$ref: "#/components/headers/PreferenceApplied"}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema:
                        anyOf:
                          - $ref: "#/components/schemas/Task"
                          - $ref: "#/components/schemas/TaskFields"
                "304":
                  description: >-
                    The client has the current revision. A task that shows a delivery has it only with
                    `wait_for=change`.
                  headers:
                    ETag: {$ref: "#/components/headers/ETag"}
                    Preference-Applied: {$ref: "#/components/headers/PreferenceApplied"}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                \#(problems(400, 401, 403, 404, 412, 429, 503))
            patch:
              tags: [tasks]
              operationId: editTask
              summary: Change a task
              description: >-
                Changes members of a task that has not ended, as a merge patch (RFC 7396). `not_before` cannot be
                changed during an attempt.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - $ref: "#/components/parameters/IfMatch"
                - $ref: "#/components/parameters/IfNoneMatch"
              requestBody:
                required: true
                content:
                  application/merge-patch+json:
                    schema: {$ref: "#/components/schemas/TaskEdit"}
              responses:
                "200":
                  description: The changed task.
                  headers:
                    ETag: {$ref: "#/components/headers/ETag"}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema:
                        anyOf:
                          - $ref: "#/components/schemas/Task"
                          - $ref: "#/components/schemas/TaskFields"
                \#(problems(400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503))
            delete:
              tags: [tasks]
              operationId: deleteTask
              summary: Remove a task and its content
              description: >-
                Cancels the task if needed. If its attempt does not end within 10 s, the response is a 409 with
                `Retry-After`.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - $ref: "#/components/parameters/IfMatch"
                - $ref: "#/components/parameters/IfNoneMatch"
              responses:
                "204":
                  description: The task is removed.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                \#(problems(400, 401, 403, 404, 409, 412, 429, 503))
        """#
}
