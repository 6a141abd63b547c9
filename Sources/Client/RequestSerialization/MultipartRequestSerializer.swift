/// Encodes parameters as `multipart/form-data` (RFC 7578), one part for each pair of ``ParameterEncoding``.
///
/// Names and values are sent unescaped in UTF-8; `null` becomes an empty part.
public struct MultipartRequestSerializer: RequestSerializer {
    let encoding: ParameterEncoding
    let throttle: BandwidthThrottle?

    /// Returns the content; without pairs it is an empty form, because a multipart body needs at least one part (RFC
    /// 2046 §5.1).
    public func serialize(_ parameters: [UInt8]?) throws(RequestSerializationError) -> SerializedContent {
        guard let parameters else { return try emptyForm.serialize(nil) }
        let pairs = try ParameterPairs(parameters, encoding, for: .parts)
        try checkLists(of: pairs)
        let parts = try MultipartPart.parts(of: pairs)
        guard !parts.isEmpty else { return try emptyForm.serialize(nil) }
        return try MultipartForm(parts: parts).content(throttle: throttle)
    }

    private var emptyForm: FormRequestSerializer { .form(encoding) }

    /// Parts have no escapes, so a comma within an element would be indistinguishable from a separator.
    private func checkLists(of pairs: ParameterPairs) throws(RequestSerializationError) {
        for case .list(let texts) in pairs.pairs.lazy.map(\.value)
        where texts.contains(where: { $0.utf8.contains(UInt8(ascii: ",")) }) {
            throw RequestSerializationError(
                message: "In a multipart body, elements of comma-separated arrays must not contain commas")
        }
    }
}

extension RequestSerializer where Self == MultipartRequestSerializer {
    /// Returns a serializer for multipart bodies.
    ///
    /// - Parameters:
    ///   - encoding: The rules for turning parameters into pairs.
    ///   - throttle: The limit on the sending rate; `nil` for none.
    public static func multipart(
        _ encoding: ParameterEncoding = ParameterEncoding(), throttle: BandwidthThrottle? = nil
    ) -> Self {
        MultipartRequestSerializer(encoding: encoding, throttle: throttle)
    }
}
