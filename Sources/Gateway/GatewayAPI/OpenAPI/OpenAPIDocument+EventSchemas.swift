extension OpenAPIDocument {
    /// The schemas of events and of the messages to clients.
    static let eventSchemas = #"""
            TaskEvent:
              type: object
              description: The data of an event of a task.
              required: [event, task, session, kind, at, state, revision]
              properties:
                event:
                  type: string
                  description: >-
                    `task.` and a state, or the name of another event, as in the field `event` of the stream.
                  enum:
                    - task.scheduled
                    - task.queued
                    - task.running
                    - task.waiting
                    - task.suspended
                    - task.canceling
                    - task.succeeded
                    - task.failed
                    - task.canceled
                    - task.attempt
                    - task.redirect
                    - task.challenge
                    - task.deleted
                    - task.progress
                task: {$ref: "#/components/schemas/TaskID"}
                session: {type: string}
                kind: {$ref: "#/components/schemas/TaskKind"}
                at: {$ref: "#/components/schemas/Timestamp"}
                state:
                  description: The state; null in `task.attempt`, `task.redirect`, `task.challenge` and `task.deleted`.
                  oneOf:
                    - {$ref: "#/components/schemas/TaskState"}
                    - {type: "null"}
                revision: {type: integer, format: int64, description: The revision of the task after the event.}
                task_document:
                  description: >-
                    The task in the form of lists, only in the events of final states; null if it was deleted or cannot
                    be read.
                  oneOf:
                    - {$ref: "#/components/schemas/Task"}
                    - {type: "null"}
                attempt:
                  description: >-
                    The item of `attempts`, only in `task.attempt`; null if the task was deleted or cannot be read.
                  oneOf:
                    - {$ref: "#/components/schemas/TaskAttempt"}
                    - {type: "null"}
                redirect:
                  description: Only in `task.redirect`; the reason if it is sealed with a missing key.
                  anyOf:
                    - {$ref: "#/components/schemas/TaskRedirect"}
                    - {$ref: "#/components/schemas/UnreadableDocument"}
                    - {type: "null"}
                challenge:
                  description: Only in `task.challenge`; the reason if it is sealed with a missing key.
                  anyOf:
                    - {$ref: "#/components/schemas/TaskChallenge"}
                    - {$ref: "#/components/schemas/UnreadableDocument"}
                    - {type: "null"}
                progress:
                  description: >-
                    The progress of the transfer, only in `task.progress` and in the first event of the stream of a
                    running task.
                  $ref: "#/components/schemas/TaskProgress"
              examples:
                - event: task.running
                  task: 01a1fc90-57c2-7d41-9a9e-1f3f6f1b2c3d
                  session: github
                  kind: data
                  at: "2026-11-28T12:00:00.000Z"
                  state: running
                  revision: 2
            TaskRedirect:
              type: object
              description: A redirect that an attempt has followed.
              required: [attempt, status, from, to]
              properties:
                attempt: {type: integer, minimum: 1, description: The number of the attempt.}
                status: {type: integer}
                from: {type: string}
                to: {type: string}
            TaskChallenge:
              type: object
              description: An authentication challenge that an attempt has answered.
              required: [attempt, status, url, schemes]
              properties:
                attempt: {type: integer, minimum: 1, description: The number of the attempt.}
                status: {type: integer, const: 401}
                url: {type: string}
                schemes: {type: array, description: The schemes that the upstream offers., items: {type: string}}
            SessionEvent:
              type: object
              description: The data of an event of a session, which is not stored and has no id.
              required: [event, session, at]
              properties:
                event:
                  type: string
                  enum:
                    - session.reachability
                    - session.circuit
                    - session.suspended
                    - session.resumed
                    - session.invalidated
                session: {type: string}
                at: {$ref: "#/components/schemas/Timestamp"}
                reachability:
                  type: string
                  description: Only in `session.reachability`.
                  enum: [unknown, reachable, not_reachable]
                circuit: {type: string, enum: [open, closed], description: Only in `session.circuit`.}
                reset: {type: boolean, description: The option of the call; only in `session.invalidated`.}
                cancel_pending: {type: boolean, description: The option of the call; only in `session.invalidated`.}
              examples:
                - event: session.reachability
                  session: github
                  at: "2026-11-28T12:00:00.000Z"
                  reachability: not_reachable
            TasksEvent:
              type: object
              description: The data of `tasks`, the first event of the stream of all tasks.
              required: [event, at, counts]
              properties:
                event: {type: string, const: tasks}
                at: {$ref: "#/components/schemas/Timestamp"}
                counts:
                  type: [object, "null"]
                  description: >-
                    The number of tasks in each state that the filters admit; null with filters other than `state`,
                    `session` and `kind`.
                  propertyNames: {$ref: "#/components/schemas/TaskState"}
                  additionalProperties: {type: integer, minimum: 0}
              examples:
                - {event: tasks, at: "2026-11-28T12:00:00.000Z", counts: {queued: 3, running: 2}}
            ResyncEvent:
              type: object
              description: >-
                The data of `resync`, which tells the client that it may have missed events and must read the task, or
                the list, again.
              required: [event, task, at]
              properties:
                event: {type: string, const: resync}
                task:
                  description: The task of the stream; null for the stream of all tasks.
                  oneOf:
                    - {$ref: "#/components/schemas/TaskID"}
                    - {type: "null"}
                at: {$ref: "#/components/schemas/Timestamp"}
              examples:
                - {event: resync, task: null, at: "2026-11-28T12:00:00.000Z"}
            CallbackMessage:
              type: object
              description: The message about the end of a task, in the format of Standard Webhooks.
              required: [type, timestamp, data]
              properties:
                type: {type: string, enum: [task.succeeded, task.failed, task.canceled]}
                timestamp:
                  description: The time at which the task has ended.
                  $ref: "#/components/schemas/Timestamp"
                data:
                  description: The task in the form of lists.
                  $ref: "#/components/schemas/Task"
        """#
}
