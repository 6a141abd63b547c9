/// The Public Suffix List (https://publicsuffix.org): the domains below which unrelated parties register names.
///
/// A cookie for `com`, `co.uk` or `github.io` would be sent to all of them, so no server may set one (RFC 6265 §5.3
/// step 5). libpsl provides the list: its built-in one, or the system's if that is newer (`psl_latest(3)`). The list is
/// loaded on first use, which takes less than a millisecond, and stays loaded for the life of the process. Any thread.
package enum PublicSuffixList {
    private static let data = PublicSuffixData()

    /// Returns true if the public can register names directly below this one, by the list's public and private
    /// sections.
    ///
    /// A name that no rule covers is a suffix if it is a single label (the list's implied rule `*`); this includes
    /// `localhost` and other names of private networks. Without a list, every name is treated as a suffix.
    ///
    /// - Parameter name: A host name in lower case, internationalized labels in their `xn--` form; a trailing dot,
    ///   which makes the name absolute, is ignored. Addresses are not names and must not be passed.
    package static func isPublicSuffix(_ name: String) -> Bool {
        // C would read only the text before a NUL.
        guard !name.utf8.contains(0) else { return true }
        return data.isPublicSuffix(name.hasSuffix(".") ? String(name.dropLast()) : name)
    }
}
