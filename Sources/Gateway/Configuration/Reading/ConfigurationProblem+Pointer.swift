import ErrandJSON
import ErrandYAML

extension ConfigurationProblem {
    /// The path of the setting as a JSON pointer (RFC 6901); empty for the whole file.
    ///
    /// An example is `/sessions/github/timeouts/idle`.
    package var pointer: String {
        let tokens = path.steps.map { step in
            switch step {
            case .key(let key): key
            case .index(let index): String(index)
            }
        }
        return JSONPointer(tokens).description
    }
}
