extension OpenAPIDocument {
    /// The paths of the process itself.
    static let operationPaths = #"""
          /:
            get:
              tags: [operations]
              operationId: getIndex
              summary: List the paths of the API
              security: [{}, {bearer: []}]
              responses:
                "200":
                  description: The paths.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Index"}
                \#(problems(401))
          /healthz:
            get:
              tags: [operations]
              operationId: getHealth
              summary: Check that the process is alive
              description: The process is alive if it has run a task of its own within the last 10 s.
              security: [{}, {bearer: []}]
              responses:
                "200":
                  description: The process is alive.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Health"}
                \#(problems(401, 503))
          /readyz:
            get:
              tags: [operations]
              operationId: getReadiness
              summary: Check that the gateway accepts tasks
              description: |
                The gateway is ready if its store can write and it is not stopping. The store is checked at most once a
                second, and has to answer within 5 s.
              security: [{}, {bearer: []}]
              responses:
                "200":
                  description: The gateway is ready.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Readiness"}
                \#(problems(401, 503))
          /metrics:
            get:
              tags: [operations]
              operationId: getMetrics
              summary: Read the metrics
              description: The format is that of Prometheus, or OpenMetrics if `Accept` prefers it.
              security: [{}, {bearer: []}]
              responses:
                "200":
                  description: The metrics.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    text/plain; version=0.0.4; charset=utf-8:
                      schema: {type: string}
                    application/openmetrics-text; version=1.0.0; charset=utf-8:
                      schema: {type: string}
                \#(problems(401, 503))
          /version:
            get:
              tags: [operations]
              operationId: getVersion
              summary: Read the versions of the program and its libraries
              security: [{}, {bearer: []}]
              responses:
                "200":
                  description: The versions.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Versions"}
                \#(problems(401))
          /problems:
            get:
              tags: [operations]
              operationId: listProblemTypes
              summary: List the types of problems
              security: [{}, {bearer: []}]
              responses:
                "200":
                  description: All types.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema:
                        type: array
                        items: {$ref: "#/components/schemas/ProblemType"}
                \#(problems(401))
          /problems/{name}:
            get:
              tags: [operations]
              operationId: getProblemType
              summary: Read a type of problems
              security: [{}, {bearer: []}]
              parameters:
                - name: name
                  in: path
                  required: true
                  description: The last part of the member `type` of a problem.
                  schema: {type: string}
                  example: invalid-task
              responses:
                "200":
                  description: The type.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/ProblemType"}
                \#(problems(401, 404))
          /openapi.yaml:
            get:
              tags: [operations]
              operationId: getOpenAPIYAML
              summary: Read this document as YAML
              security: [{}, {bearer: []}]
              responses:
                "200":
                  description: The document.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/yaml: {}
                \#(problems(401, 503))
          /openapi.json:
            get:
              tags: [operations]
              operationId: getOpenAPIJSON
              summary: Read this document as JSON
              security: [{}, {bearer: []}]
              responses:
                "200":
                  description: The document.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {type: object}
                \#(problems(401, 503))
          /v1/config:reload:
            post:
              tags: [operations]
              operationId: reloadConfiguration
              summary: Reload the configuration
              description: |
                Reads the configuration and its files again. An invalid configuration changes nothing, and the 422 has
                its faults. After 30 s the response is a 503, and the reload goes on. A token with `sessions` gets a
                403.
              security:
                - bearer: [admin]
              requestBody:
                description: No content, or an empty object.
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/NoOptions"}
              responses:
                "200":
                  description: The configuration is in force, except settings that need a restart.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/ReloadResult"}
                \#(problems(400, 401, 403, 413, 415, 422, 429, 500, 503))
        """#
}
