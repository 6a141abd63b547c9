import ErrandFiles
public import ErrandSessionCore
import ErrandSessionSettings
import ErrandSettings
import Foundation

/// A YAML file of named sessions.
///
/// The file has two sections, `sessions` and `session_defaults`, whose settings each session inherits:
///
/// ```yaml
/// session_defaults:
///   timeouts: {connect: 5s}
/// sessions:
///   github:
///     base_url: https://api.github.com/
///     credentials: {bearer: {token: "${GITHUB_TOKEN}"}}
/// ```
///
/// ```swift
/// let file = try SessionFile(contentsOf: "sessions.yaml")
/// let api = try Session(file.configuration(of: "github"))
/// ```
///
/// The text is read once, and completely: every `${…}` is replaced, and the files of certificates and keys are read. A
/// value of this type has the secrets of the file, but no description shows them.
public struct SessionFile: Sendable {
    /// The name of the file, as the program gave it.
    public let name: String
    /// The settings that are allowed but give up a protection, such as `security.validate_domain: false`.
    ///
    /// A program that starts with such a file logs them.
    public let warnings: [SessionFileProblem]
    private let sessions: [SessionConfiguration]

    /// Reads a file.
    ///
    /// Blocks the calling thread until the file, and those that it names, are read.
    ///
    /// - Parameters:
    ///   - path: The path of the file. A relative path, also of a file that the text names, begins at the working
    ///     directory.
    ///   - environment: The variables for `${NAME}`. Default: `nil`, the environment of the process.
    /// - Throws: All problems of the file together; a text that is not YAML has one.
    public init(contentsOf path: String, environment: [String: String]? = nil) throws(SessionFileError) {
        let bytes: [UInt8]
        do {
            bytes = try Self.contents(of: path)
        } catch {
            let reason = "cannot read the file: \(error); \(Remedy.file(at: path))"
            throw SessionFileError(ConfigurationError(unreadable: path, reason))
        }
        try self.init(bytes: bytes, name: path, environment: environment)
    }

    /// Reads the text of a file.
    ///
    /// ```swift
    /// let file = try SessionFile("sessions: {example: {base_url: 'https://example.com/'}}")
    /// ```
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - name: The name of the file, for messages. Default: `sessions.yaml`.
    ///   - environment: The variables for `${NAME}`. Default: `nil`, the environment of the process.
    ///   - readFile: Returns the content of a file that the text names, for `${file:…}`, certificates and keys. Problems
    ///     contain the description of the error that it throws. Default: `nil`, files are read by their paths.
    /// - Throws: All problems of the text together; one that is not YAML has one.
    public init(
        _ text: String, name: String = "sessions.yaml", environment: [String: String]? = nil,
        readFile: (@Sendable (_ path: String) throws -> [UInt8])? = nil
    ) throws(SessionFileError) {
        try self.init(bytes: Array(text.utf8), name: name, environment: environment, readFile: readFile)
    }

    /// Reads the bytes of a file, a text in UTF-8.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - name: The name of the file, for messages. Default: `sessions.yaml`.
    ///   - environment: The variables for `${NAME}`. Default: `nil`, the environment of the process.
    ///   - readFile: As in ``init(_:name:environment:readFile:)``.
    /// - Throws: All problems of the text together; one that is not YAML has one.
    public init(
        bytes: [UInt8], name: String = "sessions.yaml", environment: [String: String]? = nil,
        readFile: (@Sendable (_ path: String) throws -> [UInt8])? = nil
    ) throws(SessionFileError) {
        let loader = SettingLoader(
            environment: environment ?? ProcessInfo.processInfo.environment,
            readFile: readFile ?? { try Self.contents(of: $0) }, refusal: GatewayOnlySettings.reasonToRefuse)
        do throws(ConfigurationError) {
            let (root, warnings) = try loader.load(bytes, file: name, as: NamedSessions.settings)
            self.name = name
            self.warnings = warnings.map { SessionFileProblem($0, file: name) }
            sessions = root.sessions
        } catch {
            throw SessionFileError(error)
        }
    }

    /// The names of the sessions in the order of the file.
    public var names: [String] { sessions.map(\.name) }

    /// Returns the configuration of a session, with the inherited settings.
    ///
    /// What a file cannot express, a program sets before it creates the session.
    ///
    /// - Parameter session: The name of the session in the file.
    /// - Throws: An error with the names of the file's sessions if there is none with this name.
    public func configuration(of session: String) throws(SessionFileError) -> SessionConfiguration {
        guard let configuration = sessions.first(where: { $0.name == session }) else {
            throw SessionFileError(noSession: session, among: names, file: name)
        }
        return configuration
    }

    /// The most bytes that are read of a file; its reader has a lower limit of its own.
    private static let maxBytes = 64 << 20

    private static func contents(of path: String) throws -> [UInt8] {
        try FileContents.read(path, maxBytes: maxBytes)
    }
}

extension SessionFile: CustomStringConvertible, CustomReflectable {
    /// The name of the file, and those of its sessions.
    public var description: String { "\(name): \(names.joined(separator: ", "))" }

    /// The name of the file, and those of its sessions.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "names": names]) }
}
