extension OpenAPIDocument {
    /// The paths of sessions.
    static let sessionPaths = #"""
          /v1/sessions:
            get:
              tags: [sessions]
              operationId: listSessions
              summary: List the sessions
              description: The sessions that the token may use, in the order of the configuration.
              security:
                - bearer: ["tasks:read"]
              responses:
                "200":
                  description: All sessions.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/SessionList"}
                \#(problems(400, 401, 403, 429, 503))
          /v1/sessions/{name}:
            get:
              tags: [sessions]
              operationId: getSession
              summary: Read a session
              security:
                - bearer: ["tasks:read"]
              parameters:
                - {$ref: "#/components/parameters/PathSessionName"}
              responses:
                "200":
                  description: The session.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Session"}
                \#(problems(400, 401, 403, 404, 429, 503))
          /v1/sessions/{name}/suspend:
            post:
              tags: [sessions]
              operationId: suspendSession
              summary: Suspend a session
              description: >-
                Starts no task of the session until it is resumed. Running tasks continue. Has no effect on a suspended
                session.
              security:
                - bearer: [admin]
              parameters:
                - {$ref: "#/components/parameters/PathSessionName"}
              requestBody:
                description: No content, or an empty object.
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/NoOptions"}
              responses:
                "200":
                  description: The session.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Session"}
                \#(problems(400, 401, 403, 404, 413, 415, 422, 429, 503))
          /v1/sessions/{name}/resume:
            post:
              tags: [sessions]
              operationId: resumeSession
              summary: Resume a session
              description: >-
                Ends a suspension. Does not open a session that was closed by `invalidate`.
              security:
                - bearer: [admin]
              parameters:
                - {$ref: "#/components/parameters/PathSessionName"}
              requestBody:
                description: No content, or an empty object.
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/NoOptions"}
              responses:
                "200":
                  description: The session.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Session"}
                \#(problems(400, 401, 403, 404, 413, 415, 422, 429, 503))
          /v1/sessions/{name}/purge:
            post:
              tags: [sessions]
              operationId: purgeSession
              summary: Cancel the waiting tasks of a session
              description: >-
                Cancels the tasks that do not run and were created before the call.
              security:
                - bearer: [admin]
              parameters:
                - {$ref: "#/components/parameters/PathSessionName"}
              requestBody:
                description: No content, or an empty object.
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/NoOptions"}
              responses:
                "200":
                  description: The number of canceled tasks, and the session.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/SessionCancellation"}
                \#(problems(400, 401, 403, 404, 413, 415, 422, 429, 503))
          /v1/sessions/{name}/invalidate:
            post:
              tags: [sessions]
              operationId: invalidateSession
              summary: Close or reset a session
              description: >-
                Without `reset`, the session accepts no more tasks, and completes those it has. With `reset`, it is
                open and continues with fresh connections, tokens and cookies.
              security:
                - bearer: [admin]
              parameters:
                - {$ref: "#/components/parameters/PathSessionName"}
              requestBody:
                description: No content, or options.
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/SessionInvalidation"}
              responses:
                "200":
                  description: The number of canceled tasks, and the session.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/SessionCancellation"}
                \#(problems(400, 401, 403, 404, 413, 415, 422, 429, 503))
        """#
}
