/// Parameters as `multipart/form-data` (RFC 7578), one part for each pair of ``ParameterEncoding``.
///
/// Names and values stand in their parts as they are, in UTF-8; `null` is an empty part.
public struct MultipartRequestSerializer: RequestSerializer {
    let encoding: ParameterEncoding
    let throttle: BandwidthThrottle?

    /// Makes the content; where there is no part it is an empty form, for a multipart body has at least one
    /// (RFC 2046 §5.1).
    public func serialize(_ parameters: [UInt8]?) throws(RequestSerializationError) -> SerializedContent {
        guard let parameters else { return try emptyForm.serialize(nil) }
        let pairs = try ParameterPairs(parameters, encoding)
        try checkLists(of: pairs)
        let parts = try MultipartPart.parts(of: pairs)
        guard !parts.isEmpty else { return try emptyForm.serialize(nil) }
        return try MultipartForm(parts: parts).content(throttle: throttle)
    }

    private var emptyForm: FormRequestSerializer { .form(encoding) }

    /// Parts have no escapes: a comma in an element could not be told from one between elements.
    private func checkLists(of pairs: ParameterPairs) throws(RequestSerializationError) {
        for case .list(let texts) in pairs.pairs.lazy.map(\.value)
        where texts.contains(where: { $0.utf8.contains(UInt8(ascii: ",")) }) {
            throw RequestSerializationError(
                message: "An array that is written with commas in a multipart body has no elements with commas")
        }
    }
}

extension RequestSerializer where Self == MultipartRequestSerializer {
    /// Parameters as parts.
    ///
    /// - Parameters:
    ///   - encoding: How they become pairs.
    ///   - throttle: How slowly the content is sent; `nil` for no limit.
    public static func multipart(
        _ encoding: ParameterEncoding = ParameterEncoding(), throttle: BandwidthThrottle? = nil
    ) -> Self {
        MultipartRequestSerializer(encoding: encoding, throttle: throttle)
    }
}
