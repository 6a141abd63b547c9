/// Determines the media type of a file by its extension.
enum FileMediaType {
    /// The media type for a missing or unknown extension.
    static let unknown = "application/octet-stream"

    /// Returns the media type for the extension after the last dot of a name, ignoring case.
    static func ofFile(named filename: String) -> String {
        guard let dot = filename.utf8.lastIndex(of: UInt8(ascii: ".")) else { return unknown }
        return byExtension[filename[filename.utf8.index(after: dot)...].lowercased()] ?? unknown
    }

    /// The media types of common extensions: those registered with IANA, or else the usual ones.
    private static let byExtension = [
        "3gp": "video/3gpp", "aif": "audio/aiff", "aiff": "audio/aiff",
        "apk": "application/vnd.android.package-archive", "atom": "application/atom+xml",
        "cer": "application/pkix-cert", "crl": "application/pkix-crl", "crt": "application/x-x509-ca-cert",
        "csr": "application/pkcs10", "deb": "application/vnd.debian.binary-package",
        "der": "application/x-x509-ca-cert", "dmg": "application/x-apple-diskimage",
        "eot": "application/vnd.ms-fontobject", "eps": "application/postscript",
        "exe": "application/vnd.microsoft.portable-executable", "flv": "video/x-flv", "gpx": "application/gpx+xml",
        "jar": "application/java-archive", "jsonl": "application/jsonl", "kml": "application/vnd.google-earth.kml+xml",
        "kmz": "application/vnd.google-earth.kmz",
        "log": "text/plain", "m4v": "video/x-m4v", "mid": "audio/midi", "midi": "audio/midi", "mpg": "video/mpeg",
        "msg": "application/vnd.ms-outlook", "ndjson": "application/x-ndjson", "p10": "application/pkcs10",
        "p12": "application/x-pkcs12", "p7b": "application/x-pkcs7-certificates", "p7c": "application/pkcs7-mime",
        "p7m": "application/pkcs7-mime", "p7s": "application/pkcs7-signature", "p8": "application/pkcs8",
        "parquet": "application/vnd.apache.parquet", "pem": "application/x-pem-file", "pfx": "application/x-pkcs12",
        "plist": "application/x-plist", "ps": "application/postscript", "psd": "image/vnd.adobe.photoshop",
        "rar": "application/vnd.rar", "rpm": "application/x-rpm", "rss": "application/rss+xml",
        "sh": "application/x-sh", "sql": "application/sql", "sqlite": "application/vnd.sqlite3",
        "ttc": "font/collection",
        "wma": "audio/x-ms-wma", "wmv": "video/x-ms-wmv", "xsl": "application/xslt+xml", "xslt": "application/xslt+xml",
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
