/// The Public Suffix List (https://publicsuffix.org): the domains below which strangers register names of their own.
///
/// A cookie for `com`, `co.uk` or `github.io` would go to all of them, so no server may set one (RFC 6265 §5.3 step 5).
/// libpsl holds the list: the one it was built with, or the system's where that is newer (`psl_latest(3)`). It is read
/// at the first question, which takes less than a millisecond, and stays for the life of the process. Any thread may
/// ask.
package enum PublicSuffixList {
    private static let data = PublicSuffixData()

    /// Whether anyone may register a name directly below this one, by the list's public and private sections.
    ///
    /// A name that no rule covers is a suffix when it is a single label (the list's implied rule `*`), which holds for
    /// `localhost` and other names of private networks. Without any list at all, every name is taken for a suffix.
    ///
    /// - Parameter name: A host name in lower case, internationalised labels in their `xn--` form; a dot at its end,
    ///   which makes it absolute, changes nothing. Addresses are no names: do not ask about them.
    package static func isPublicSuffix(_ name: String) -> Bool {
        // C would read only what stands before a NUL.
        guard !name.utf8.contains(0) else { return true }
        return data.isPublicSuffix(name.hasSuffix(".") ? String(name.dropLast()) : name)
    }
}
