extension OpenAPIDocument {
    /// The paths of schedules.
    static let schedulePaths = #"""
          /v1/schedules:
            get:
              tags: [schedules]
              operationId: listSchedules
              summary: List the schedules
              description: The schedules whose session the token may use, in the order of their names.
              security:
                - bearer: ["tasks:read"]
              responses:
                "200":
                  description: All schedules. A long list is streamed.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/ScheduleList"}
                \#(problems(400, 401, 403, 429, 503))
            post:
              tags: [schedules]
              operationId: createSchedule
              summary: Create a schedule
              description: The header field `Idempotency-Key` is refused, because the name prevents a second schedule.
              security:
                - bearer: ["tasks:write"]
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/ScheduleCreation"}
              responses:
                "201":
                  description: The new schedule.
                  headers:
                    ETag: {$ref: "#/components/headers/ETag"}
                    Location: {$ref: "#/components/headers/Location"}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema:
                        anyOf:
                          - {$ref: "#/components/schemas/Schedule"}
                          - {$ref: "#/components/schemas/ShortSchedule"}
                \#(problems(400, 401, 403, 409, 412, 413, 415, 422, 429, 503))
          /v1/schedules/{name}:
            get:
              tags: [schedules]
              operationId: getSchedule
              summary: Read a schedule
              security:
                - bearer: ["tasks:read"]
              parameters:
                - {$ref: "#/components/parameters/PathScheduleName"}
                - {$ref: "#/components/parameters/IfMatch"}
                - {$ref: "#/components/parameters/IfNoneMatch"}
              responses:
                "200":
                  description: The schedule.
                  headers:
                    ETag: {$ref: "#/components/headers/ETag"}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Schedule"}
                "304":
                  description: The client has the current schedule.
                  headers:
                    ETag: {$ref: "#/components/headers/ETag"}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                \#(problems(400, 401, 403, 404, 412, 429))
            put:
              tags: [schedules]
              operationId: putSchedule
              summary: Create or replace a schedule
              description: |
                A replaced schedule stays suspended if it was. `If-None-Match: *` only creates a schedule. A schedule
                of the configuration, or of a session that the token may not use, is a 409.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - {$ref: "#/components/parameters/PathScheduleName"}
                - {$ref: "#/components/parameters/IfMatch"}
                - {$ref: "#/components/parameters/IfNoneMatch"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/ScheduleReplacement"}
              responses:
                "200":
                  description: The replaced schedule.
                  headers:
                    ETag: {$ref: "#/components/headers/ETag"}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema:
                        anyOf:
                          - {$ref: "#/components/schemas/Schedule"}
                          - {$ref: "#/components/schemas/ShortSchedule"}
                "201":
                  description: The new schedule.
                  headers:
                    ETag: {$ref: "#/components/headers/ETag"}
                    Location: {$ref: "#/components/headers/Location"}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema:
                        anyOf:
                          - {$ref: "#/components/schemas/Schedule"}
                          - {$ref: "#/components/schemas/ShortSchedule"}
                \#(problems(400, 401, 403, 409, 412, 413, 415, 422, 429, 503))
            delete:
              tags: [schedules]
              operationId: deleteSchedule
              summary: Delete a schedule
              description: Its tasks stay. A schedule of the configuration is a 409.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - {$ref: "#/components/parameters/PathScheduleName"}
                - {$ref: "#/components/parameters/IfMatch"}
                - {$ref: "#/components/parameters/IfNoneMatch"}
              responses:
                "204":
                  description: The schedule is deleted.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                \#(problems(400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503))
          /v1/schedules/{name}/suspend:
            post:
              tags: [schedules]
              operationId: suspendSchedule
              summary: Suspend a schedule
              description: >-
                Creates no tasks until it is resumed. Times that pass in between do not count as missed. Has no effect
                on a suspended schedule.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - {$ref: "#/components/parameters/PathScheduleName"}
                - {$ref: "#/components/parameters/IfMatch"}
                - {$ref: "#/components/parameters/IfNoneMatch"}
              requestBody:
                description: No content, or an empty object.
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/NoOptions"}
              responses:
                "200":
                  description: The schedule.
                  headers:
                    ETag: {$ref: "#/components/headers/ETag"}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema:
                        anyOf:
                          - {$ref: "#/components/schemas/Schedule"}
                          - {$ref: "#/components/schemas/ShortSchedule"}
                \#(problems(400, 401, 403, 404, 412, 413, 415, 422, 429, 503))
          /v1/schedules/{name}/resume:
            post:
              tags: [schedules]
              operationId: resumeSchedule
              summary: Resume a schedule
              description: >-
                Creates tasks again, from the next time on. Has no effect on a schedule that is not suspended.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - {$ref: "#/components/parameters/PathScheduleName"}
                - {$ref: "#/components/parameters/IfMatch"}
                - {$ref: "#/components/parameters/IfNoneMatch"}
              requestBody:
                description: No content, or an empty object.
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/NoOptions"}
              responses:
                "200":
                  description: The schedule.
                  headers:
                    ETag: {$ref: "#/components/headers/ETag"}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema:
                        anyOf:
                          - {$ref: "#/components/schemas/Schedule"}
                          - {$ref: "#/components/schemas/ShortSchedule"}
                \#(problems(400, 401, 403, 404, 412, 413, 415, 422, 429, 503))
          /v1/schedules/{name}/run:
            post:
              tags: [schedules]
              operationId: runSchedule
              summary: Create a task of a schedule now
              description: >-
                Works for a suspended schedule too. The header field `Idempotency-Key` is refused. The 422 has the
                faults of a task that the configuration no longer allows; a closed session is a 409.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - {$ref: "#/components/parameters/PathScheduleName"}
                - {$ref: "#/components/parameters/IfMatch"}
                - {$ref: "#/components/parameters/IfNoneMatch"}
                - {$ref: "#/components/parameters/TraceParent"}
                - {$ref: "#/components/parameters/TraceState"}
              requestBody:
                description: No content, or an empty object.
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/NoOptions"}
              responses:
                "202":
                  description: The new task.
                  headers:
                    ETag: {$ref: "#/components/headers/ETag"}
                    Location: {$ref: "#/components/headers/Location"}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema:
                        anyOf:
                          - {$ref: "#/components/schemas/Task"}
                          - {$ref: "#/components/schemas/TaskFields"}
                \#(problems(400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503))
        """#
}
