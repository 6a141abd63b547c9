package import ErrandYAML

/// An environment variable that replaces a setting of the configuration file, or adds to it.
package struct EnvironmentOverride: Sendable {
    /// The name of the variable.
    ///
    /// An empty variable counts as unset.
    package var variable: String
    /// The name of the variable with the path of a file that has the text instead; `nil` if there is none.
    ///
    /// Container engines put secrets into files, which no list of variables shows.
    package var fileVariable: String?
    /// The effect of the variable, in Markdown.
    package var summary: String
    /// Returns the node of the setting, given the text of the variable and the node in the file.
    package var node: @Sendable (_ text: String, _ inFile: YAMLNode?) -> YAMLNode

    /// Creates an override.
    package init(
        variable: String, fileVariable: String? = nil, summary: String,
        node: @escaping @Sendable (_ text: String, _ inFile: YAMLNode?) -> YAMLNode
    ) {
        self.variable = variable
        self.fileVariable = fileVariable
        self.summary = summary
        self.node = node
    }

    /// Returns an override that uses the text as the value.
    package static func value(_ variable: String) -> EnvironmentOverride {
        EnvironmentOverride(variable: variable, summary: "Replaces the value.") { text, _ in .quoted(text) }
    }

    /// Returns an override that reads the text as a list, separated by commas or white space.
    ///
    /// - Parameters:
    ///   - remark: A sentence on the form of the items, in Markdown.
    ///   - item: Returns the node of an item.
    package static func list(
        _ variable: String, remark: String, item: @escaping @Sendable (_ text: String) -> YAMLNode
    ) -> EnvironmentOverride {
        let summary = "Replaces the list; separate items with commas, spaces or line feeds. \(remark)"
        return EnvironmentOverride(variable: variable, summary: summary) { text, _ in
            .sequence(text.split { $0 == "," || $0.isWhitespace }.map { item(String($0)) })
        }
    }
}
