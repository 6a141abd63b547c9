extension OpenAPIDocument {
    /// The paths of event streams.
    static let eventPaths = #"""
          /v1/tasks/{id}/events:
            get:
              tags: [events]
              operationId: streamTaskEvents
              summary: Stream the events of a task
              description: |
                The stream begins with the current state of the task, or with `Last-Event-ID` with the events after
                that one. It ends after the event of a final state, or when the task is deleted. It has no
                `task.deleted`.
              security:
                - bearer: ["tasks:read"]
              parameters:
                - {$ref: "#/components/parameters/PathTaskID"}
                - name: Last-Event-ID
                  in: header
                  description: The last event that the client has received. An empty value is the same as none.
                  schema: {type: integer, format: int64, minimum: 0}
                - name: last_event_id
                  in: query
                  description: >-
                    The same as `Last-Event-ID`, which takes precedence, for clients that cannot set header fields.
                  schema: {type: integer, format: int64, minimum: 0}
              responses:
                "200":
                  description: |
                    Events, each with `event`, `data`, which is the JSON text of a `TaskEvent` or a `ResyncEvent`, and
                    `id` unless the event is not stored. A comment ends a silence of 15 s.
                  headers:
                    X-Accel-Buffering: {description: Tells nginx not to buffer., schema: {type: string, const: "no"}}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    text/event-stream:
                      schema: {type: string}
                      example: |
                        retry: 2000
                        id: 4711
                        event: task.running
                        data: {"event":"task.running","task":"01a1fc90-57c2-7d41-9a9e-1f3f6f1b2c3d",…}
                "204":
                  description: The task is done and has no event after that one. An `EventSource` stops then.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                \#(problems(400, 401, 403, 404, 429, 503))
          /v1/events:
            get:
              tags: [events]
              operationId: streamEvents
              summary: Stream the events of all tasks and sessions
              description: |
                The stream begins with the event `tasks`, or with `Last-Event-ID` with the events after that one; 0
                means from the first event that is kept. It ends when the gateway stops.

                The filters select the events of tasks. With `state`, events without a state are left out. Events of
                sessions are sent without filters, or with `session` as the only one.
              security:
                - bearer: ["tasks:read"]
              parameters:
                - {$ref: "#/components/parameters/FilterState"}
                - {$ref: "#/components/parameters/FilterSession"}
                - {$ref: "#/components/parameters/FilterKind"}
                - {$ref: "#/components/parameters/FilterParent"}
                - {$ref: "#/components/parameters/FilterLabels"}
                - {$ref: "#/components/parameters/FilterCreatedAfter"}
                - {$ref: "#/components/parameters/FilterCreatedBefore"}
                - name: Last-Event-ID
                  in: header
                  description: The last event that the client has received. An empty value is the same as none.
                  schema: {type: integer, format: int64, minimum: 0}
                - name: last_event_id
                  in: query
                  description: >-
                    The same as `Last-Event-ID`, which takes precedence, for clients that cannot set header fields.
                  schema: {type: integer, format: int64, minimum: 0}
              responses:
                "200":
                  description: |
                    Events, each with `event`, `data`, which is the JSON text of a `TasksEvent`, a `TaskEvent`, a
                    `SessionEvent` or a `ResyncEvent`, and `id` unless the event is not stored. A comment ends a
                    silence of 15 s.
                  headers:
                    X-Accel-Buffering: {description: Tells nginx not to buffer., schema: {type: string, const: "no"}}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    text/event-stream:
                      schema: {type: string}
                      example: |
                        retry: 2000
                        id: 4710
                        event: tasks
                        data: {"event":"tasks","at":"2026-11-28T12:00:00.000Z","counts":{"scheduled":0,"queued":3,…}}
                \#(problems(400, 401, 403, 429, 503))
        """#
}
