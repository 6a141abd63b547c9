import ErrandHTTPServer
import ErrandJSON
import ErrandTaskEngine

/// The query parameter that selects members of tasks: `fields=state,finished_at`.
enum FieldsQuery {
    /// The name of the parameter.
    static let parameter = "fields"

    /// Reads the members; all without the parameter.
    ///
    /// A repeated parameter adds members. `id` is always one of them.
    ///
    /// - Throws: The first unknown member, with the known ones.
    static func read(_ items: [QueryItem]) throws(RequestRefusal) -> TaskMembers {
        var members: [TaskMember]?
        for item in items where item.name == parameter {
            for name in item.value.split(separator: ",", omittingEmptySubsequences: false) {
                guard let member = byName[String(name)] else {
                    throw .parameter(parameter, expected: "names among \(known)", found: String(name))
                }
                members = (members ?? []) + [member]
            }
        }
        return members.map { TaskMembers($0) } ?? .all
    }

    private static let byName = Dictionary(
        uniqueKeysWithValues: TaskMember.allCases.map { ("\($0.name)", $0) })
    private static let known = TaskMember.allCases.map { "\($0.name)" }.joined(separator: ", ")
}
