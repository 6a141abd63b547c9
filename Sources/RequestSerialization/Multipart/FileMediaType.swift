/// The media type of a file, told by the extension of its name.
enum FileMediaType {
    /// What is sent when the extension is missing or not known.
    static let unknown = "application/octet-stream"

    /// The media type that goes with what follows the last dot of a name, in upper or lower case.
    static func ofFile(named filename: String) -> String {
        guard let dot = filename.utf8.lastIndex(of: UInt8(ascii: ".")) else { return unknown }
        return byExtension[filename[filename.utf8.index(after: dot)...].lowercased()] ?? unknown
    }

    /// The registered type (IANA media types) of the extensions that occur in practice.
    private static let byExtension = [
        "7z": "application/x-7z-compressed", "aac": "audio/aac", "avif": "image/avif", "avi": "video/x-msvideo",
        "bin": unknown, "bmp": "image/bmp", "bz2": "application/x-bzip2", "cbor": "application/cbor",
        "css": "text/css", "csv": "text/csv", "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "eml": "message/rfc822",
        "epub": "application/epub+zip", "flac": "audio/flac", "geojson": "application/geo+json", "gif": "image/gif",
        "gz": "application/gzip", "heic": "image/heic", "heif": "image/heif", "htm": "text/html", "html": "text/html",
        "ico": "image/vnd.microsoft.icon", "ics": "text/calendar", "jpeg": "image/jpeg", "jpg": "image/jpeg",
        "js": "text/javascript", "json": "application/json", "jsonld": "application/ld+json",
        "jxl": "image/jxl", "m4a": "audio/mp4", "md": "text/markdown", "mjs": "text/javascript",
        "mkv": "video/matroska", "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4",
        "mpeg": "video/mpeg", "odp": "application/vnd.oasis.opendocument.presentation",
        "ods": "application/vnd.oasis.opendocument.spreadsheet", "odt": "application/vnd.oasis.opendocument.text",
        "oga": "audio/ogg", "ogg": "audio/ogg", "ogv": "video/ogg", "opus": "audio/ogg", "otf": "font/otf",
        "pdf": "application/pdf", "png": "image/png", "ppt": "application/vnd.ms-powerpoint",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation", "rtf": "application/rtf",
        "svg": "image/svg+xml", "tar": "application/x-tar", "tif": "image/tiff", "tiff": "image/tiff",
        "toml": "application/toml", "tsv": "text/tab-separated-values", "ttf": "font/ttf", "txt": "text/plain",
        "vcf": "text/vcard", "wasm": "application/wasm", "wav": "audio/vnd.wave", "weba": "audio/webm",
        "webm": "video/webm", "webmanifest": "application/manifest+json", "webp": "image/webp", "woff": "font/woff",
        "woff2": "font/woff2", "xhtml": "application/xhtml+xml", "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml",
        "xz": "application/x-xz", "yaml": "application/yaml", "yml": "application/yaml", "zip": "application/zip",
        "zst": "application/zstd",
    ]
}
