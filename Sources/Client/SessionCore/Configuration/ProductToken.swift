import ErrandHTTPGrammar
import ErrandText

/// The product by which a program identifies itself in `User-Agent` (RFC 9110 §10.1.5).
enum ProductToken {
    /// The product of the running program.
    static let ofProgram = make(from: CommandLine.arguments.first ?? "")

    /// The most characters of a product.
    private static let maxLength = 64

    /// Returns the product of the executable at a path: its name, in which `-` replaces each character that a token
    /// cannot contain.
    ///
    /// - Returns: A token (RFC 9110 §5.6.2) of at most 64 characters; `HTTPSession` for a path without a name.
    static func make(from path: String) -> String {
        let name = path.pathNames().last ?? "HTTPSession"
        return String(name.prefix(maxLength).map { Token.isToken($0.utf8) ? $0 : "-" })
    }
}
