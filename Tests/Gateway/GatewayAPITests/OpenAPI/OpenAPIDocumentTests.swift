import ErrandConfiguration
import ErrandHTTPServer
import ErrandJSON
import ErrandSupport
import HTTPTypes
import Testing

@testable import ErrandGateway
@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("OpenAPIDocument", .timeLimit(.hang))
struct OpenAPIDocumentTests {
    private let document: JSONValue

    init() throws {
        document = try JSONDocument.parse(OpenAPIDocument.json).root
    }

    @Test("It has each route as an operation, with its query parameters and its scope, and no other operation")
    func routes() throws {
        let routes = try GatewayFixture().gateway.routes
        #expect(Set(operations.keys) == Set(routes.map(\.name)))
        for route in routes {
            guard let operation = operations[route.name] else { continue }
            let parameters = try parameters(of: operation)
            let path = route.pattern.matches(of: /\{(\w+)\}/).map { String($0.1) }
            #expect(parameters["path", default: []] == Set(path), "\(route.name)")
            #expect(parameters["query", default: []] == Set(route.queryNames), "\(route.name)")
            #expect(try security(of: operation.members) == route.need.documentedSecurity, "\(route.name)")
        }
    }

    @Test("Each operation has an identifier of its own, a summary, a tag of the document, and a response of success")
    func operationMembers() throws {
        let tags = try #require(document["tags"]?.array).compactMap { $0["name"]?.string }
        var identifiers: Set<String> = []
        for (name, operation) in operations.mapValues(\.members) {
            let identifier = try #require(operation["operationId"]?.string, "\(name)")
            #expect(identifiers.insert(identifier).inserted, "\(identifier)")
            #expect(operation["summary"]?.string?.isEmpty == false, "\(name)")
            let used = operation["tags"]?.array?.compactMap(\.string) ?? []
            #expect(!used.isEmpty && used.allSatisfy { tags.contains($0) }, "\(name)")
            let statuses = try #require(operation["responses"]?.object).members.map(\.key)
            #expect(statuses.contains { $0.hasPrefix("2") }, "\(name)")
        }
    }

    @Test("Each reference has a target, and each component is used")
    func references() throws {
        var targets: Set<String> = []
        document.visit { value in
            if let target = value["$ref"]?.string { targets.insert(target) }
        }
        for target in targets { #expect(resolve(target) != nil, "\(target)") }
        let components = try #require(document["components"]?.object).members.filter { $0.key != "securitySchemes" }
        // Generators make a type of each parameter too.
        let types = components.filter { ["parameters", "schemas"].contains($0.key) }
            .flatMap { $0.value.object?.members.map(\.key) ?? [] }
        #expect(Set(types).count == types.count)
        for group in components {
            for component in group.value.object?.members ?? [] {
                // The data of server-sent events have no place in the description of a response.
                let isNamed = OpenAPIDocument.yaml.contains("`\(component.key)`")
                let name = "#/components/\(group.key)/\(component.key)"
                #expect(targets.contains(name) || isNamed, "\(name) is not used")
            }
        }
    }

    @Test("A task of a batch, a repeated one and that of a schedule have the members of a created one, but for some")
    func taskMembers() throws {
        let created = try members(of: "TaskCreation")
        #expect(try members(of: "BatchItem") == created.union(["idempotency_key"]))
        #expect(try members(of: "TaskRetry") == created)
        #expect(try members(of: "ScheduledTask") == created.subtracting(["not_before", "deadline"]))
        let shown = Set(TaskMember.allCases.map { "\($0.name)" })
        #expect(try members(of: "Task") == shown)
        #expect(try members(of: "TaskFields") == shown)
    }

    @Test("A gateway serves it as JSON and as YAML, and its index names it")
    func served() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let json = try await fixture.response(.get, "/openapi.json")
            #expect(json.status == .ok && json.headers[.contentType] == "application/json")
            #expect(json.text == String(decoding: OpenAPIDocument.json, as: UTF8.self))
            let yaml = try await fixture.response(.get, "/openapi.yaml")
            #expect(yaml.status == .ok && yaml.headers[.contentType] == "application/yaml")
            #expect(yaml.text == OpenAPIDocument.yaml)
            #expect(yaml.text.hasPrefix("openapi: 3.1."))
            let index = try await fixture.response(.get, "/").text
            #expect(index.contains(#""openapi":"/openapi.json""#))
        }
    }

    // MARK: Reading

    /// Returns the names of the members of a component's schema, with those of the schemas that it adds to.
    private func members(of name: String) throws -> Set<String> {
        try members(of: try #require(resolve("#/components/schemas/\(name)"), "\(name)"))
    }

    private func members(of schema: JSONValue) throws -> Set<String> {
        var names = Set(schema["properties"]?.object?.members.map(\.key) ?? [])
        for part in schema["allOf"]?.array ?? [] {
            let reference = try #require(part["$ref"]?.string)
            names.formUnion(try members(of: try #require(resolve(reference), "\(reference)")))
        }
        return names
    }

    private struct Operation {
        let members: JSONValue
        /// The parameters of all operations with its path.
        let common: [JSONValue]
    }

    /// The operations by method and path, as in `GET /v1/tasks`.
    private var operations: [String: Operation] {
        var operations: [String: Operation] = [:]
        for path in document["paths"]?.object?.members ?? [] {
            let common = path.value["parameters"]?.array ?? []
            for operation in path.value.object?.members ?? [] where operation.key != "parameters" {
                operations["\(operation.key.uppercased()) \(path.key)"] = Operation(
                    members: operation.value, common: common)
            }
        }
        return operations
    }

    /// Returns the names of the parameters of an operation by their places.
    private func parameters(of operation: Operation) throws -> [String: Set<String>] {
        var names: [String: Set<String>] = [:]
        for parameter in operation.common + (operation.members["parameters"]?.array ?? []) {
            let parameter = try parameter["$ref"]?.string.map { try #require(resolve($0), "\($0)") } ?? parameter
            let place = try #require(parameter["in"]?.string)
            var name = try #require(parameter["name"]?.string)
            // Any names of a pattern: in a query, the members of an object in this style.
            if parameter["schema"]?["propertyNames"] != nil { name = TaskListQuery.anyLabel }
            #expect(names[place, default: []].insert(name).inserted, "\(name)")
        }
        return names
    }

    /// Returns the alternatives of an operation's security: the scopes of each, `nil` for a request without a token.
    private func security(of operation: JSONValue) throws -> [[String]?] {
        try #require(operation["security"]?.array).map { $0["bearer"]?.array?.compactMap(\.string) }
    }

    /// Returns the target of a reference; `nil` if there is none.
    private func resolve(_ reference: String) -> JSONValue? {
        guard reference.hasPrefix("#/") else { return nil }
        return reference.dropFirst(2).split(separator: "/").reduce(document as JSONValue?) { $0?[String($1)] }
    }
}

extension JSONValue {
    /// Returns a member of an object.
    fileprivate subscript(_ name: String) -> JSONValue? { object?[name] }

    /// Calls a closure with each value of the tree.
    fileprivate func visit(_ body: (JSONValue) -> Void) {
        body(self)
        for item in array ?? [] { item.visit(body) }
        for member in object?.members ?? [] { member.value.visit(body) }
    }
}

extension APIRoute {
    fileprivate var name: String { "\(method) \(pattern)" }

    /// The names of the query parameters.
    fileprivate var queryNames: [String] {
        switch (parameters, pattern) {
        case (.named(let names), _): names
        case (_, "/v1/tasks"): TaskListQuery.filterNames + TaskListQuery.pageParameters
        case (_, "/v1/tasks/counts"): TaskListQuery.filterNames
        case (_, "/v1/events"):
            TaskListQuery.filterNames.filter { !TaskListQuery.listOnly.contains($0) } + [EventQuery.parameter]
        default: []
        }
    }
}

extension AccessNeed {
    /// The security that the document states for it.
    fileprivate var documentedSecurity: [[String]?] {
        switch self {
        case .nothing: [nil, []]
        case .token: [[]]
        case .scope(let scope): [[scope.rawValue]]
        case .wholeGateway: [["admin"]]
        }
    }
}
