extension OpenAPIDocument {
    /// The beginning of the document, up to the paths.
    static let head = #"""
        openapi: 3.1.0
        info:
          title: Errand
          version: "1"
          summary: A durable gateway for outbound HTTP requests
          description: |
            A client creates a task, which is one HTTP request. The gateway stores it, runs it through a session of its
            configuration, and keeps the result until its retention ends.

            An unknown member of a request is an error. Clients ignore members of responses that they do not know: a
            later version may add some.

            HEAD is accepted where GET is, and OPTIONS returns `Allow`. Any request can also have the responses 400,
            405, 408, 413, 414, 421, 429, 431, 500 and 503, each with a problem document (RFC 9457). With
            `auth.protect_operations`, the operations of the process can also have 401. Each response has
            `X-Request-Id`, and for a token with a rate `RateLimit` and `RateLimit-Policy`.
        servers:
          - url: /
        security:
          - bearer: []
        tags:
          - name: tasks
            description: HTTP requests that the gateway keeps and runs
          - name: events
            description: Streams of server-sent events
          - name: schedules
            description: Recurring tasks
          - name: sessions
            description: Upstreams with their limits, credentials and connections
          - name: operations
            description: The process itself
        """#

    /// The schemes of authentication, at the beginning of the components.
    static let securitySchemes = #"""
          securitySchemes:
            bearer:
              type: http
              scheme: bearer
              description: >-
                A token of `auth.tokens`. The names that an operation lists are scopes; `admin` includes the others. A
                gateway without tokens accepts each request.
        """#

    /// The parameters that several operations have.
    static let commonParameters = #"""
            PathTaskID:
              name: id
              in: path
              required: true
              description: The identifier of the task.
              schema: {$ref: "#/components/schemas/TaskID"}
            PathSessionName:
              name: name
              in: path
              required: true
              description: The name of the session.
              schema: {type: string}
            PathScheduleName:
              name: name
              in: path
              required: true
              description: The name of the schedule.
              schema: {type: string, pattern: "^[a-z][a-z0-9_-]{0,63}$"}
            Wait:
              name: wait
              in: query
              description: >-
                Waits for the end of the task, at most this long and at most `server.max_wait`. Takes precedence over
                `Prefer`.
              schema: {type: string}
              example: 30s
            PreferWait:
              name: Prefer
              in: header
              description: The preference `wait`, in seconds (RFC 7240). A malformed one is ignored.
              schema: {type: string}
              example: wait=30
            IfMatch:
              name: If-Match
              in: header
              description: The entity tags of which the current one must be one, otherwise the response is a 412.
              schema: {type: string}
              example: '"r3"'
            IfNoneMatch:
              name: If-None-Match
              in: header
              description: The entity tags that the client has. If one is current, a GET is a 304, and a change a 412.
              schema: {type: string}
              example: '"r3"'
            IdempotencyKey:
              name: Idempotency-Key
              in: header
              description: >-
                A key of the client, bare or as a quoted string, of 1 to 255 characters. A repetition of the call with
                the same key and content has no further effect.
              schema: {type: string, minLength: 1}
        """#

    /// The header fields that several responses have.
    static let headers = #"""
            ETag:
              description: The entity tag of the representation.
              schema: {type: string}
            Location:
              description: The path of the created resource.
              schema: {type: string, format: uri-reference}
            RetryAfter:
              description: The seconds after which the client may try again.
              schema: {type: integer, minimum: 0}
            PreferenceApplied:
              description: The wait that was applied, in seconds, as in `wait=30`.
              schema: {type: string}
            IdempotentReplayed:
              description: "`true` if an earlier request with the same key had the effect."
              schema: {type: string, const: "true"}
            RequestID:
              description: The identifier of the request, which the log has too.
              schema: {type: string}
        """#

    /// The schemas that several topics have.
    static let commonSchemas = #"""
            TaskID:
              type: string
              format: uuid
              description: A UUID of version 7, in lower case. Identifiers sort by the time of creation.
              examples: [019a4d3c-5b7e-7c3a-9d1f-2b6c8e4f0a12]
            Timestamp:
              type: string
              format: date-time
              description: A time in UTC with milliseconds.
              examples: ["2026-11-30T22:15:00.000Z"]
            DurationText:
              type: [string, integer]
              pattern: "^[0-9]{1,18}(ms|s|m|h|d)?$"
              minimum: 0
              description: A duration such as `250ms`, `30s`, `5m`, `2h` or `7d`; a number is in seconds.
              examples: [30s, 30]
            SessionName:
              type: string
              description: The name of a session of the configuration.
              examples: [github]
            Labels:
              type: object
              description: Names and values that the client chooses, and that lists can be filtered by.
              maxProperties: 64
              propertyNames: {minLength: 1, maxLength: 256}
              additionalProperties: {type: string, maxLength: 256}
              examples: [{team: billing}]
            Problem:
              type: object
              description: A problem document (RFC 9457). GET /problems lists the types.
              required: [type, title, status]
              properties:
                type:
                  type: string
                  format: uri-reference
                  description: The path of the type, which stays the same in later versions.
                title: {type: string, description: A summary of the type.}
                status: {type: integer, description: The status of the response.}
                detail: {type: string, description: "The found and the expected value, and the remedy."}
                instance: {type: string, description: The path of the request.}
                request_id: {type: string, description: "The value of X-Request-Id."}
                errors:
                  type: array
                  description: The faults of a document.
                  items: {$ref: "#/components/schemas/ProblemError"}
                line: {type: integer, minimum: 1, description: The line of a fault of the syntax.}
                column: {type: integer, minimum: 1, description: The column of a fault of the syntax.}
                retry_after: {type: integer, minimum: 0, description: "The seconds until another try, in batches."}
                matched:
                  type: integer
                  minimum: 0
                  description: The tasks that a bulk call had selected before it ended.
                changed: {type: integer, minimum: 0, description: The tasks that it had changed.}
              examples:
                - type: /problems/invalid-task
                  title: The task is not valid
                  status: 422
                  detail: the task has 1 error
                  instance: /v1/tasks
                  request_id: 4f3c2a10
                  errors: [{pointer: /sesion, detail: 'unknown member; did you mean "session"?'}]
            ProblemError:
              type: object
              required: [pointer, detail]
              properties:
                pointer: {type: string, description: The location in the document (RFC 6901).}
                detail: {type: string, description: "The found and the expected value, and the remedy."}
        """#
}
