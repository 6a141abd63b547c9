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
                "401": {$ref: "#/components/responses/Unauthorized"}
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
                "401": {$ref: "#/components/responses/Unauthorized"}
                "503": {$ref: "#/components/responses/Unavailable"}
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
                "401": {$ref: "#/components/responses/Unauthorized"}
                "503": {$ref: "#/components/responses/Unavailable"}
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
                "401": {$ref: "#/components/responses/Unauthorized"}
                "503": {$ref: "#/components/responses/Unavailable"}
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
                "401": {$ref: "#/components/responses/Unauthorized"}
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
                "401": {$ref: "#/components/responses/Unauthorized"}
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
                "401": {$ref: "#/components/responses/Unauthorized"}
                "404": {$ref: "#/components/responses/NotFound"}
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
                "401": {$ref: "#/components/responses/Unauthorized"}
                "503": {$ref: "#/components/responses/Unavailable"}
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
                "401": {$ref: "#/components/responses/Unauthorized"}
                "503": {$ref: "#/components/responses/Unavailable"}
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
                "400": {$ref: "#/components/responses/BadRequest"}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "413": {$ref: "#/components/responses/ContentTooLarge"}
                "415": {$ref: "#/components/responses/UnsupportedMediaType"}
                "422": {$ref: "#/components/responses/Invalid"}
                "429": {$ref: "#/components/responses/TooManyRequests"}
                "500": {$ref: "#/components/responses/InternalError"}
                "503": {$ref: "#/components/responses/Unavailable"}
        """#
}
