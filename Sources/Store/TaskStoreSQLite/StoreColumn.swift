/// The columns of a statement, in the order of their arguments or of the columns of its rows.
///
/// The names of the cases are the names of the columns, so that neither is written twice.
protocol StoreColumn: CaseIterable, RawRepresentable where RawValue == Int {}

extension StoreColumn {
    /// The name in the database: `has_open_attempt` for `hasOpenAttempt`.
    var name: String {
        var name = ""
        for character in String(describing: self) {
            if character.isUppercase { name += "_" }
            name += character.lowercased()
        }
        return name
    }
}
