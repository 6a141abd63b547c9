public import FoundationEssentials
import JSON
public import SessionCore

extension Parameters {
    /// Creates parameters from a value that encodes itself as an object.
    ///
    /// ```swift
    /// struct Search: Encodable {
    ///     var text: String
    ///     var page: Int
    /// }
    /// let issues = try await api.get("issues", parameters: Parameters(encoding: Search(text: "slow", page: 2)))
    /// ```
    ///
    /// - Parameters:
    ///   - value: A structure, a dictionary, or whatever else becomes a JSON object.
    ///   - encoder: Says how dates, data and names are written. Default: `nil`, one with names in ascending order and
    ///     slashes as they are. Numbers stay as it writes them.
    /// - Throws: ``SessionErrorCode/unserializableParameters`` when the value cannot be encoded, or not as an object.
    public init(encoding value: some Encodable, with encoder: JSONEncoder? = nil) throws(SessionError) {
        let root = try Self.root(of: CodableJSON.encode(value, with: encoder))
        guard let object = root.object else {
            throw SessionError(
                .unserializableParameters, "Parameters are an object, and the value is \(root.kindDescription)")
        }
        self.init(object)
    }

    private static func root(of text: [UInt8]) throws(SessionError) -> JSONValue {
        do throws(JSONSyntaxError) {
            return try JSONDocument.parse(text).root
        } catch {
            throw SessionError(.unserializableParameters, "The parameters cannot be read back: \(error)")
        }
    }
}
