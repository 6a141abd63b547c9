extension OpenAPIDocument {
    /// The documents of tasks, their states, lists and counts.
    static let taskSchemas = #"""
            Task:
              type: object
              description: A task with all of its members.
              required:
                [id, session, kind, state, done, revision, created_at, updated_at, not_before,
                 next_attempt_at, deadline, started_at, finished_at, expires_at, hold, request, content,
                 progress, attempts, response, error, resume, labels, priority, ordering_key,
                 bytes_per_second, retry_of, retried_by, parent, schedule, trace, callback, links]
              properties:
                id: {$ref: "#/components/schemas/TaskID"}
                session: {$ref: "#/components/schemas/SessionName"}
                kind: {$ref: "#/components/schemas/TaskKind"}
                state: {$ref: "#/components/schemas/TaskState"}
                done:
                  type: boolean
                  description: True for the states succeeded, failed and canceled.
                revision:
                  type: integer
                  description: The number of stored changes, as in the entity tag.
                  minimum: 1
                created_at: {$ref: "#/components/schemas/Timestamp"}
                updated_at: {$ref: "#/components/schemas/Timestamp"}
                not_before:
                  description: The earliest start.
                  oneOf:
                    - $ref: "#/components/schemas/Timestamp"
                    - type: "null"
                next_attempt_at:
                  description: The time of the next attempt of a waiting task.
                  oneOf:
                    - $ref: "#/components/schemas/Timestamp"
                    - type: "null"
                deadline:
                  description: The time at which the task fails unless it has succeeded.
                  oneOf:
                    - $ref: "#/components/schemas/Timestamp"
                    - type: "null"
                started_at:
                  oneOf:
                    - $ref: "#/components/schemas/Timestamp"
                    - type: "null"
                finished_at:
                  oneOf:
                    - $ref: "#/components/schemas/Timestamp"
                    - type: "null"
                expires_at:
                  description: The time after which retention removes the task.
                  oneOf:
                    - $ref: "#/components/schemas/Timestamp"
                    - type: "null"
                hold:
                  oneOf:
                    - $ref: "#/components/schemas/TaskHold"
                    - type: "null"
                request:
                  description: >-
                    In a list, a document that cannot be read has only the reason. `attempts` is then empty, and
                    `response` and `error` are null.
                  anyOf:
                    - $ref: "#/components/schemas/TaskRequest"
                    - $ref: "#/components/schemas/UnreadableDocument"
                content:
                  oneOf:
                    - $ref: "#/components/schemas/TaskContent"
                    - type: "null"
                progress: {$ref: "#/components/schemas/TaskProgress"}
                attempts:
                  type: array
                  description: The attempts that have ended.
                  items: {$ref: "#/components/schemas/TaskAttempt"}
                response:
                  oneOf:
                    - $ref: "#/components/schemas/TaskResponse"
                    - type: "null"
                error:
                  oneOf:
                    - $ref: "#/components/schemas/TaskError"
                    - type: "null"
                resume:
                  description: Null if it was not read, as in lists.
                  oneOf:
                    - $ref: "#/components/schemas/TaskResume"
                    - type: "null"
                labels: {$ref: "#/components/schemas/Labels"}
                priority: {type: integer, minimum: 0, maximum: 9}
                ordering_key: {type: [string, "null"]}
                bytes_per_second: {type: [integer, "null"]}
                retry_of:
                  description: The task that this one repeats.
                  oneOf:
                    - $ref: "#/components/schemas/TaskID"
                    - type: "null"
                retried_by:
                  description: The last task that repeats this one.
                  oneOf:
                    - $ref: "#/components/schemas/TaskID"
                    - type: "null"
                parent:
                  description: The task about whose end this delivery tells.
                  oneOf:
                    - $ref: "#/components/schemas/TaskID"
                    - type: "null"
                schedule:
                  type: [string, "null"]
                  description: The name of the schedule that has created the task.
                trace:
                  oneOf:
                    - $ref: "#/components/schemas/TaskTrace"
                    - type: "null"
                callback:
                  oneOf:
                    - $ref: "#/components/schemas/TaskCallback"
                    - type: "null"
                links: {$ref: "#/components/schemas/TaskLinks"}
              examples:
                - id: 01a1fc90-912e-7056-b47a-be14b2548d65
                  session: echo
                  kind: data
                  state: queued
                  done: false
                  revision: 1
                  created_at: "2026-11-30T22:15:00.000Z"
                  updated_at: "2026-11-30T22:15:00.000Z"
                  not_before: null
                  next_attempt_at: null
                  deadline: null
                  started_at: null
                  finished_at: null
                  expires_at: null
                  hold: null
                  request:
                    method: GET
                    url: http://127.0.0.1:9000/get
                    headers: {Accept: "*/*"}
                    body_size: 0
                    curl: curl -X GET 'http://127.0.0.1:9000/get'
                  content: null
                  progress:
                    upload: {completed: 0, total: 0, fraction: null, bytes_per_second: null, time_left: null}
                    download: {completed: 0, total: null, fraction: null, bytes_per_second: null, time_left: null}
                  attempts: []
                  response: null
                  error: null
                  resume: {available: false, bytes: 0}
                  labels: {}
                  priority: 5
                  ordering_key: null
                  bytes_per_second: null
                  retry_of: null
                  retried_by: null
                  parent: null
                  schedule: null
                  trace: null
                  callback: null
                  links:
                    self: /v1/tasks/01a1fc90-912e-7056-b47a-be14b2548d65
                    events: /v1/tasks/01a1fc90-912e-7056-b47a-be14b2548d65/events
                    cancel: /v1/tasks/01a1fc90-912e-7056-b47a-be14b2548d65/cancel
                    suspend: /v1/tasks/01a1fc90-912e-7056-b47a-be14b2548d65/suspend
            TaskFields:
              type: object
              description: >-
                Some members of a task: those of `fields` and `id`. The response to a change has `id`, `session`,
                `kind`, `state`, `done` and `created_at` if the whole task would be above 64 KiB beyond
                `server.max_unsent`.
              required: [id]
              properties:
                id: {$ref: "#/components/schemas/TaskID"}
                session: {$ref: "#/components/schemas/SessionName"}
                kind: {$ref: "#/components/schemas/TaskKind"}
                state: {$ref: "#/components/schemas/TaskState"}
                done: {type: boolean}
                revision: {type: integer, minimum: 1}
                created_at: {$ref: "#/components/schemas/Timestamp"}
                updated_at: {$ref: "#/components/schemas/Timestamp"}
                not_before:
                  oneOf:
                    - $ref: "#/components/schemas/Timestamp"
                    - type: "null"
                next_attempt_at:
                  oneOf:
                    - $ref: "#/components/schemas/Timestamp"
                    - type: "null"
                deadline:
                  oneOf:
                    - $ref: "#/components/schemas/Timestamp"
                    - type: "null"
                started_at:
                  oneOf:
                    - $ref: "#/components/schemas/Timestamp"
                    - type: "null"
                finished_at:
                  oneOf:
                    - $ref: "#/components/schemas/Timestamp"
                    - type: "null"
                expires_at:
                  oneOf:
                    - $ref: "#/components/schemas/Timestamp"
                    - type: "null"
                hold:
                  oneOf:
                    - $ref: "#/components/schemas/TaskHold"
                    - type: "null"
                request:
                  anyOf:
                    - $ref: "#/components/schemas/TaskRequest"
                    - $ref: "#/components/schemas/UnreadableDocument"
                content:
                  oneOf:
                    - $ref: "#/components/schemas/TaskContent"
                    - type: "null"
                progress: {$ref: "#/components/schemas/TaskProgress"}
                attempts: {type: array, items: {$ref: "#/components/schemas/TaskAttempt"}}
                response:
                  oneOf:
                    - $ref: "#/components/schemas/TaskResponse"
                    - type: "null"
                error:
                  oneOf:
                    - $ref: "#/components/schemas/TaskError"
                    - type: "null"
                resume:
                  oneOf:
                    - $ref: "#/components/schemas/TaskResume"
                    - type: "null"
                labels: {$ref: "#/components/schemas/Labels"}
                priority: {type: integer, minimum: 0, maximum: 9}
                ordering_key: {type: [string, "null"]}
                bytes_per_second: {type: [integer, "null"]}
                retry_of:
                  oneOf:
                    - $ref: "#/components/schemas/TaskID"
                    - type: "null"
                retried_by:
                  oneOf:
                    - $ref: "#/components/schemas/TaskID"
                    - type: "null"
                parent:
                  oneOf:
                    - $ref: "#/components/schemas/TaskID"
                    - type: "null"
                schedule: {type: [string, "null"]}
                trace:
                  oneOf:
                    - $ref: "#/components/schemas/TaskTrace"
                    - type: "null"
                callback:
                  oneOf:
                    - $ref: "#/components/schemas/TaskCallback"
                    - type: "null"
                links: {$ref: "#/components/schemas/TaskLinks"}
            TaskMember:
              type: string
              description: The name of a member of a task.
              enum:
                [id, session, kind, state, done, revision, created_at, updated_at, not_before,
                 next_attempt_at, deadline, started_at, finished_at, expires_at, hold, request, content,
                 progress, attempts, response, error, resume, labels, priority, ordering_key,
                 bytes_per_second, retry_of, retried_by, parent, schedule, trace, callback, links]
            TaskState:
              type: string
              description: >-
                A `scheduled` task waits for its time, a `queued` one for its turn, a `waiting` one for its next
                attempt. The last three states are final.
              enum: [scheduled, queued, running, waiting, suspended, canceling, succeeded, failed, canceled]
            TaskKind:
              type: string
              description: >-
                A `callback` is the delivery of a message about the end of another task. Only the gateway creates it.
              enum: [data, upload, download, callback]
            TaskHold:
              type: string
              description: The reason for which a queued task, or an upload without its content, does not start.
              enum:
                - content
                - session_not_configured
                - session_suspended
                - disk_full
                - unreachable
                - circuit_open
                - retry_after
                - concurrency
                - rate
                - ordering
            RemovedTask:
              type: object
              description: What remains of a task that was removed.
              required: [id, session, state, done, created_at, finished_at, removed]
              properties:
                id: {$ref: "#/components/schemas/TaskID"}
                session: {$ref: "#/components/schemas/SessionName"}
                state:
                  description: Null if the task was removed during the wait for its end.
                  oneOf:
                    - $ref: "#/components/schemas/TaskState"
                    - type: "null"
                done: {type: boolean, const: true}
                created_at: {$ref: "#/components/schemas/Timestamp"}
                finished_at:
                  oneOf:
                    - $ref: "#/components/schemas/Timestamp"
                    - type: "null"
                removed: {type: boolean, const: true}
            TaskPage:
              type: object
              required: [tasks, next_page_token]
              properties:
                tasks:
                  type: array
                  description: The tasks, with the members of `fields` if that is given.
                  items:
                    anyOf:
                      - $ref: "#/components/schemas/Task"
                      - $ref: "#/components/schemas/TaskFields"
                next_page_token:
                  type: [string, "null"]
                  description: The `page_token` of the next page; null on the last one.
              examples:
                - {tasks: [{id: 01a1fc90-912e-7056-b47a-be14b2548d65, state: succeeded}], next_page_token: null}
            TaskCounts:
              type: object
              required: [total, by_state]
              properties:
                total: {type: integer, minimum: 0}
                by_state:
                  type: object
                  description: The number of tasks for each state that the filters admit.
                  propertyNames: {$ref: "#/components/schemas/TaskState"}
                  additionalProperties: {type: integer, minimum: 0}
              examples:
                - {total: 3, by_state: {queued: 1, failed: 2}}
            FilterTime:
              type: string
              description: A time (RFC 3339), a date, which is its beginning in UTC, or a duration before the present.
              examples: ["2026-11-21T12:00:00Z", "2026-11-21", "-24h"]
            FilterStatus:
              type: string
              description: A status of three digits, or a class.
              pattern: "^[1-9](xx|[0-9]{2})$"
              examples: ["503", 5xx]
        """#
}
