import ErrandFileSources
import ErrandSessionCore

extension SessionError {
    /// Creates the error of a file that cannot be sent.
    init(_ error: FileSourceError) {
        let code: SessionErrorCode =
            switch error.code {
            case .fileNotFound: .fileNotFound
            case .badFile: .badFile
            }
        self.init(code, error.message)
    }
}
