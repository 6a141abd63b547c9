extension OpenAPIDocument {
    /// The paths of actions on a task, and of its content.
    static let taskActionPaths = #"""
          /v1/tasks/{id}/cancel:
            parameters:
              - $ref: "#/components/parameters/PathTaskID"
            post:
              tags: [tasks]
              operationId: cancelTask
              summary: Cancel a task
              description: Repeating the call has no effect.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - $ref: "#/components/parameters/IfMatch"
                - $ref: "#/components/parameters/IfNoneMatch"
              requestBody:
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/CancelOptions"}
              responses:
                "200":
                  description: The task is canceled.
                  headers:
                    ETag: {$ref: "#/components/headers/ETag"}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema:
                        anyOf:
                          - $ref: "#/components/schemas/Task"
                          - $ref: "#/components/schemas/TaskFields"
                "202":
                  description: The task is being canceled; its connection is closed first.
                  headers:
                    Location: {$ref: "#/components/headers/Location"}
                    ETag: {$ref: "#/components/headers/ETag"}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema:
                        anyOf:
                          - $ref: "#/components/schemas/Task"
                          - $ref: "#/components/schemas/TaskFields"
                \#(problems(400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503))
          /v1/tasks/{id}/suspend:
            parameters:
              - $ref: "#/components/parameters/PathTaskID"
            post:
              tags: [tasks]
              operationId: suspendTask
              summary: Suspend a task
              description: >-
                A waiting task is skipped until it is resumed. A running task stops reading and writing at once. The
                call has no effect on a suspended task.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - $ref: "#/components/parameters/IfMatch"
                - $ref: "#/components/parameters/IfNoneMatch"
              requestBody:
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/NoOptions"}
              responses:
                "200":
                  description: The suspended task.
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
          /v1/tasks/{id}/resume:
            parameters:
              - $ref: "#/components/parameters/PathTaskID"
            post:
              tags: [tasks]
              operationId: resumeTask
              summary: Resume a suspended task
              description: The call has no effect on a task that is not suspended.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - $ref: "#/components/parameters/IfMatch"
                - $ref: "#/components/parameters/IfNoneMatch"
              requestBody:
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/NoOptions"}
              responses:
                "200":
                  description: The resumed task.
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
          /v1/tasks/{id}/run-now:
            parameters:
              - $ref: "#/components/parameters/PathTaskID"
            post:
              tags: [tasks]
              operationId: runTaskNow
              summary: Start a task before all others of its session
              description: >-
                Replaces a future `not_before` by the current time. Limits, holds and ordering keys still apply. A
                suspended task must be resumed first.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - $ref: "#/components/parameters/IfMatch"
                - $ref: "#/components/parameters/IfNoneMatch"
              requestBody:
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/NoOptions"}
              responses:
                "200":
                  description: The task, which starts next.
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
          /v1/tasks/{id}/retry:
            parameters:
              - $ref: "#/components/parameters/PathTaskID"
            post:
              tags: [tasks]
              operationId: retryTask
              summary: Repeat a finished task as a new one
              description: |
                Creates a task with `retry_of`. The content replaces members of the original document.

                With an `Idempotency-Key`, `If-Match` and `If-None-Match` are a 400, and a repeated call returns the
                first new task with a 200 and `Idempotent-Replayed`.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - $ref: "#/components/parameters/Wait"
                - $ref: "#/components/parameters/PreferWait"
                - $ref: "#/components/parameters/IdempotencyKey"
                - $ref: "#/components/parameters/IfMatch"
                - $ref: "#/components/parameters/IfNoneMatch"
                - $ref: "#/components/parameters/TraceParent"
                - $ref: "#/components/parameters/TraceState"
              requestBody:
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/TaskRetry"}
              responses:
                "200":
                  description: The new task has ended during the wait, or the key has created it before.
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
                  description: The new task was created, and has not ended.
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
                \#(problems(400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503))
          /v1/tasks/{id}/body:
            parameters:
              - $ref: "#/components/parameters/PathTaskID"
            get:
              tags: [tasks]
              operationId: getTaskBody
              summary: Read the content of the response
              description: |
                Returns the content as it was received, after content decoding, with the media type of the upstream.

                With `follow=true`, the content of a running task is sent in chunks while it arrives, without `ETag`
                and `Accept-Ranges`; `Range` and `If-None-Match` then have no effect. The connection is closed before
                the last chunk unless the task succeeds with this content.
              security:
                - bearer: ["tasks:read"]
              parameters:
                - name: follow
                  in: query
                  description: Sends the content of a running task while it arrives. HTTP/1.1 is required.
                  schema: {type: boolean, default: false}
                - name: Range
                  in: header
                  description: The part of the content to return.
                  schema: {type: string}
                  example: bytes=0-1023
                - name: If-Range
                  in: header
                  description: The entity tag that the content must have for `Range` to have an effect.
                  schema: {type: string}
                - $ref: "#/components/parameters/IfMatch"
                - $ref: "#/components/parameters/IfNoneMatch"
              responses:
                "200":
                  description: The content. Its `ETag` contains the SHA-256.
                  headers:
                    ETag: {$ref: "#/components/headers/ETag"}
                    Accept-Ranges: {schema: {type: string, const: bytes}}
                    Content-Disposition: {schema: {type: string, const: attachment}}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    "*/*": {schema: {type: string, format: binary}}
                "206":
                  description: The part of the content that `Range` selects.
                  headers:
                    ETag: {$ref: "#/components/headers/ETag"}
                    Accept-Ranges: {schema: {type: string, const: bytes}}
                    Content-Range: {schema: {type: string}, description: The part and the size of the content.}
                    Content-Disposition: {schema: {type: string, const: attachment}}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    "*/*": {schema: {type: string, format: binary}}
                "304":
                  description: The client has the content.
                  headers:
                    ETag: {$ref: "#/components/headers/ETag"}
                    Accept-Ranges: {schema: {type: string, const: bytes}}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                \#(problems(400, 401, 403, 404, 409, 412, 416, 429, 503))
          /v1/tasks/{id}/content:
            parameters:
              - $ref: "#/components/parameters/PathTaskID"
            put:
              tags: [tasks]
              operationId: sendTaskContent
              summary: Send the content of an upload that waits for it
              description: |
                The content of a task with `{"content": "later"}` is stored before the response. That of a task with
                `{"content": "stream"}` is passed on to the upstream as it arrives.

                The `Content-Type` of the request has no effect: the media type is that of the `headers` of the task.
                A part of the content (`Content-Range`) and a content coding are refused.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - name: Content-Digest
                  in: header
                  description: >-
                    The SHA-256 that the content must have (RFC 9530); a field without `sha-256` is refused. It is
                    refused for content that is passed on.
                  schema: {type: string}
                  example: "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:"
                - $ref: "#/components/parameters/IfMatch"
                - $ref: "#/components/parameters/IfNoneMatch"
              requestBody:
                description: The content, of up to `server.max_content` bytes.
                content:
                  "*/*": {schema: {type: string, format: binary}}
              responses:
                "204":
                  description: The content is stored, or the transfer has taken all of it.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                \#(problems(400, 401, 403, 404))
                "408":
                  description: The content did not arrive in time.
                  content:
                    application/problem+json:
                      schema: {$ref: "#/components/schemas/Problem"}
                \#(problems(409, 412, 413, 415, 429, 503))
        """#
}
