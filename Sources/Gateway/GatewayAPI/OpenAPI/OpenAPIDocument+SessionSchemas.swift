extension OpenAPIDocument {
    /// The schemas of sessions.
    static let sessionSchemas = #"""
            Session:
              type: object
              required:
                - name
                - is_default
                - state
                - accepts_tasks
                - configuration
                - tasks
                - in_flight
                - hold
                - hold_until
                - rate
                - circuit
                - reachability
                - connections
                - links
              properties:
                name: {$ref: "#/components/schemas/SessionName"}
                is_default: {type: boolean, description: True for the session of tasks that name none.}
                state:
                  type: string
                  description: |
                    `draining` sessions accept no tasks and complete those they have; `closed` ones have none left. A
                    `suspended` session starts no tasks.
                  enum: [open, suspended, draining, closed]
                accepts_tasks: {type: boolean, description: False after an `invalidate` without `reset`.}
                configuration:
                  type: object
                  description: |
                    The settings of the session as in the configuration file, with defaults, and with `[redacted]` in
                    place of secrets. The session `callbacks` has only the settings that have an effect in it.
                tasks:
                  type: object
                  description: The number of tasks in each state.
                  required: [scheduled, queued, running, waiting, suspended, canceling, succeeded, failed, canceled]
                  properties:
                    scheduled: {type: integer, minimum: 0}
                    queued: {type: integer, minimum: 0}
                    running: {type: integer, minimum: 0}
                    waiting: {type: integer, minimum: 0}
                    suspended: {type: integer, minimum: 0}
                    canceling: {type: integer, minimum: 0}
                    succeeded: {type: integer, minimum: 0}
                    failed: {type: integer, minimum: 0}
                    canceled: {type: integer, minimum: 0}
                in_flight: {type: integer, minimum: 0, description: The number of attempts under way.}
                hold:
                  type: [string, "null"]
                  description: The reason for which a queued task would wait now; null if it would start at once.
                  enum:
                    - session_not_configured
                    - session_suspended
                    - disk_full
                    - unreachable
                    - circuit_open
                    - retry_after
                    - concurrency
                    - rate
                    - null
                hold_until:
                  description: The end of the wait, for `retry_after`, `circuit_open` and `rate`; otherwise null.
                  oneOf:
                    - {$ref: "#/components/schemas/Timestamp"}
                    - {type: "null"}
                rate:
                  type: [object, "null"]
                  description: The state of `limits.rate`; null without it.
                  required: [available]
                  properties:
                    available: {type: integer, description: The number of attempts that may start at once.}
                circuit:
                  type: object
                  description: The state of the circuit breaker.
                  required: [state, until, failures]
                  properties:
                    state:
                      type: string
                      description: A `half_open` circuit allows one attempt at a time.
                      enum: [closed, open, half_open]
                    until:
                      description: The end of the open state; null unless the circuit is open.
                      oneOf:
                        - {$ref: "#/components/schemas/Timestamp"}
                        - {type: "null"}
                    failures: {type: integer, minimum: 0, description: The failures of the upstream that count now.}
                reachability:
                  type: string
                  description: Whether the upstream has responded to the last connections.
                  enum: [unknown, reachable, not_reachable]
                connections:
                  type: [object, "null"]
                  description: The connections to the upstream; null if they are not counted.
                  required: [open, idle, reused]
                  properties:
                    open: {type: integer, minimum: 0, description: "The open connections, idle ones included."}
                    idle: {type: integer, minimum: 0}
                    reused: {type: integer, minimum: 0, description: The requests that found an open connection.}
                links:
                  type: object
                  required: [self, tasks]
                  properties:
                    self: {type: string, format: uri-reference}
                    tasks: {type: string, format: uri-reference, description: The list of the tasks of the session.}
              examples:
                - name: github
                  is_default: true
                  state: open
                  accepts_tasks: true
                  configuration: {base_url: "https://api.github.com/"}
                  tasks:
                    scheduled: 0
                    queued: 3
                    running: 2
                    waiting: 0
                    suspended: 0
                    canceling: 0
                    succeeded: 112
                    failed: 1
                    canceled: 0
                  in_flight: 2
                  hold: null
                  hold_until: null
                  rate: {available: 17}
                  circuit: {state: closed, until: null, failures: 0}
                  reachability: reachable
                  connections: {open: 2, idle: 0, reused: 17}
                  links: {self: /v1/sessions/github, tasks: "/v1/tasks?session=github"}
            SessionList:
              type: object
              required: [sessions]
              properties:
                sessions:
                  type: array
                  items: {$ref: "#/components/schemas/Session"}
            SessionInvalidation:
              type: object
              additionalProperties: false
              properties:
                cancel_pending: {type: [boolean, "null"], description: "True to cancel all tasks, also running ones."}
                reset:
                  type: [boolean, "null"]
                  description: |
                    True to continue with fresh connections, tokens and cookies instead of closing the session. It also
                    opens a closed session, ends a pause that the upstream has asked for, and closes the circuit.
              examples:
                - {reset: true}
                - {cancel_pending: true}
            SessionCancellation:
              type: object
              required: [canceled, session]
              properties:
                canceled: {type: integer, minimum: 0, description: The number of canceled tasks.}
                session:
                  description: The session; null if a reload has removed it meanwhile.
                  oneOf:
                    - {$ref: "#/components/schemas/Session"}
                    - {type: "null"}
        """#
}
