extension OpenAPIDocument {
    /// The paths of batches and bulk calls.
    static let bulkPaths = #"""
          /v1/tasks:batch:
            post:
              tags: [tasks]
              operationId: createTasks
              summary: Create many tasks
              description: |
                Stores all valid tasks in one write. Each task is accepted or refused on its own, and has its own
                status in `results`. Each task counts as a request against the rate of the token.

                The header field `Idempotency-Key` is refused: each item has its own `idempotency_key`.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - {$ref: "#/components/parameters/TraceParent"}
                - {$ref: "#/components/parameters/TraceState"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/BatchRequest"}
              responses:
                "200":
                  description: The outcome of each task, in the order of the request.
                  headers:
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/BatchResult"}
                "400": {$ref: "#/components/responses/BadRequest"}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "413": {$ref: "#/components/responses/ContentTooLarge"}
                "415": {$ref: "#/components/responses/UnsupportedMediaType"}
                "422": {$ref: "#/components/responses/Invalid"}
                "429": {$ref: "#/components/responses/TooManyRequests"}
                "503": {$ref: "#/components/responses/Unavailable"}
          /v1/tasks:cancel:
            post:
              tags: [tasks]
              operationId: cancelTasks
              summary: Cancel the selected tasks
              description: |
                Leaves out tasks that are done or being canceled.

                If the call ends early, the problem has `matched` and `changed`, the counts so far.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - {$ref: "#/components/parameters/IdempotencyKey"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/BulkRequest"}
              responses:
                "200":
                  description: The numbers of tasks.
                  headers:
                    Idempotent-Replayed: {$ref: "#/components/headers/IdempotentReplayed"}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/BulkResult"}
                "400": {$ref: "#/components/responses/BadRequest"}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "413": {$ref: "#/components/responses/ContentTooLarge"}
                "415": {$ref: "#/components/responses/UnsupportedMediaType"}
                "422": {$ref: "#/components/responses/Invalid"}
                "429": {$ref: "#/components/responses/TooManyRequests"}
                "503": {$ref: "#/components/responses/Unavailable"}
          /v1/tasks:suspend:
            post:
              tags: [tasks]
              operationId: suspendTasks
              summary: Suspend the selected tasks
              description: |
                Leaves out tasks that are done, being canceled or suspended already.

                If the call ends early, the problem has `matched` and `changed`, the counts so far.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - {$ref: "#/components/parameters/IdempotencyKey"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/BulkRequest"}
              responses:
                "200":
                  description: The numbers of tasks.
                  headers:
                    Idempotent-Replayed: {$ref: "#/components/headers/IdempotentReplayed"}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/BulkResult"}
                "400": {$ref: "#/components/responses/BadRequest"}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "413": {$ref: "#/components/responses/ContentTooLarge"}
                "415": {$ref: "#/components/responses/UnsupportedMediaType"}
                "422": {$ref: "#/components/responses/Invalid"}
                "429": {$ref: "#/components/responses/TooManyRequests"}
                "503": {$ref: "#/components/responses/Unavailable"}
          /v1/tasks:resume:
            post:
              tags: [tasks]
              operationId: resumeTasks
              summary: Resume the selected tasks
              description: |
                Leaves out tasks that are not suspended.

                If the call ends early, the problem has `matched` and `changed`, the counts so far.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - {$ref: "#/components/parameters/IdempotencyKey"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/BulkRequest"}
              responses:
                "200":
                  description: The numbers of tasks.
                  headers:
                    Idempotent-Replayed: {$ref: "#/components/headers/IdempotentReplayed"}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/BulkResult"}
                "400": {$ref: "#/components/responses/BadRequest"}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "413": {$ref: "#/components/responses/ContentTooLarge"}
                "415": {$ref: "#/components/responses/UnsupportedMediaType"}
                "422": {$ref: "#/components/responses/Invalid"}
                "429": {$ref: "#/components/responses/TooManyRequests"}
                "503": {$ref: "#/components/responses/Unavailable"}
          /v1/tasks:run-now:
            post:
              tags: [tasks]
              operationId: runTasksNow
              summary: Start the selected tasks now
              description: |
                Applies to tasks that are scheduled, waiting or queued, from the oldest to the newest, or in the order
                of `ids`. Leaves out the others, and tasks that wait for their content.

                If the call ends early, the problem has `matched` and `changed`, the counts so far.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - {$ref: "#/components/parameters/IdempotencyKey"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/BulkRequest"}
              responses:
                "200":
                  description: The numbers of tasks.
                  headers:
                    Idempotent-Replayed: {$ref: "#/components/headers/IdempotentReplayed"}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/BulkResult"}
                "400": {$ref: "#/components/responses/BadRequest"}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "413": {$ref: "#/components/responses/ContentTooLarge"}
                "415": {$ref: "#/components/responses/UnsupportedMediaType"}
                "422": {$ref: "#/components/responses/Invalid"}
                "429": {$ref: "#/components/responses/TooManyRequests"}
                "503": {$ref: "#/components/responses/Unavailable"}
          /v1/tasks:retry:
            post:
              tags: [tasks]
              operationId: retryTasks
              summary: Retry the selected tasks
              description: |
                Applies to finished tasks, from the oldest to the newest, or in the order of `ids`. Leaves out tasks
                that were retried already, unless `again` is true.

                If a session is closed or its queue is full, the call retries the tasks of the other sessions, and
                returns the problem. Repeat the call for the rest, also with the same `Idempotency-Key`.

                If the call ends early, the problem has `matched` and `changed`, the counts so far.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - {$ref: "#/components/parameters/IdempotencyKey"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/BulkRetryRequest"}
              responses:
                "200":
                  description: The numbers of tasks.
                  headers:
                    Idempotent-Replayed: {$ref: "#/components/headers/IdempotentReplayed"}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/BulkResult"}
                "400": {$ref: "#/components/responses/BadRequest"}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "409": {$ref: "#/components/responses/Conflict"}
                "413": {$ref: "#/components/responses/ContentTooLarge"}
                "415": {$ref: "#/components/responses/UnsupportedMediaType"}
                "422": {$ref: "#/components/responses/Invalid"}
                "429": {$ref: "#/components/responses/TooManyRequests"}
                "503": {$ref: "#/components/responses/Unavailable"}
          /v1/tasks:delete:
            post:
              tags: [tasks]
              operationId: deleteTasks
              summary: Delete the selected tasks
              description: |
                Cancels a task that is not done, and removes it with its content. Leaves out a task whose attempt does
                not end within 10 s.

                If the call ends early, the problem has `matched` and `changed`, the counts so far.
              security:
                - bearer: ["tasks:write"]
              parameters:
                - {$ref: "#/components/parameters/IdempotencyKey"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/BulkRequest"}
              responses:
                "200":
                  description: The numbers of tasks.
                  headers:
                    Idempotent-Replayed: {$ref: "#/components/headers/IdempotentReplayed"}
                    X-Request-Id: {$ref: "#/components/headers/RequestID"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/BulkResult"}
                "400": {$ref: "#/components/responses/BadRequest"}
                "401": {$ref: "#/components/responses/Unauthorized"}
                "403": {$ref: "#/components/responses/Forbidden"}
                "413": {$ref: "#/components/responses/ContentTooLarge"}
                "415": {$ref: "#/components/responses/UnsupportedMediaType"}
                "422": {$ref: "#/components/responses/Invalid"}
                "429": {$ref: "#/components/responses/TooManyRequests"}
                "503": {$ref: "#/components/responses/Unavailable"}
        """#
}
