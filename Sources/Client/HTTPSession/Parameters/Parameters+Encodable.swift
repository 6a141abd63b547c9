import ErrandJSON
public import ErrandSessionCore
public import FoundationEssentials

extension Parameters {
    /// Creates parameters from a value that is encoded as an object.
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
    ///   - value: A structure, a dictionary, or another value that is encoded as a JSON object.
    ///   - encoder: The encoder, which determines the format of dates, data and names. Default: `nil`, an encoder with
    ///     sorted names and unescaped slashes. Numbers are sent as it writes them.
    /// - Throws: ``SessionErrorCode/unserializableParameters`` if the value cannot be encoded, or not as an object.
    public init(encoding value: some Encodable, with encoder: JSONEncoder? = nil) throws(SessionError) {
        let root = try Self.root(of: CodableJSON.encode(value, with: encoder))
        guard let object = root.object else {
            throw SessionError(
                .unserializableParameters, "The parameters must be an object, found \(root.kindDescription)")
        }
        self.init(object)
    }

    private static func root(of text: [UInt8]) throws(SessionError) -> JSONValue {
        do throws(JSONSyntaxError) {
            return try JSONDocument.parse(text).root
        } catch {
            throw SessionError(.unserializableParameters, "The encoded parameters are not valid JSON: \(error)")
        }
    }
}
