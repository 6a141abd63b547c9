import JSON
import YAML

extension ConfigurationProblem {
    /// The way to the setting as a JSON pointer (RFC 6901): `/sessions/github/timeouts/idle`; empty for the whole file.
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
