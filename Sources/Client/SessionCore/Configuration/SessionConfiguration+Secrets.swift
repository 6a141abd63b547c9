package import HTTPTypes

extension SessionConfiguration {
    /// Returns true if two configurations are equal, and the same ones of their header fields are marked as secrets.
    package func isSame(as other: SessionConfiguration) -> Bool {
        self == other && headers.isSame(as: other.headers)
    }
}

extension HTTPFields {
    /// Returns true if the fields are equal, and the same ones are marked as secrets.
    ///
    /// Fields are equal whatever the indexing strategy that marks them; see ``HeaderRedaction/carriesSecret(_:)``.
    package func isSame(as other: HTTPFields) -> Bool {
        self == other && markedNames == other.markedNames
    }

    private var markedNames: Set<HTTPField.Name> {
        Set(filter { $0.indexingStrategy == .disallow }.map(\.name))
    }
}
