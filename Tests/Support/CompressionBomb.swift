/// Ten gibibytes of zeros, compressed to a few megabytes or less.
///
/// The content repeats one block, which each of the codings allows, so that no time is needed for compression.
package enum CompressionBomb: String, CaseIterable, Codable {
    /// gzip (RFC 1952).
    case gzip
    /// zlib (RFC 1950).
    case deflate
    /// Brotli (RFC 7932).
    case brotli = "br"

    /// The size of the content, in bytes.
    package static let size = 10 << 30

    /// The first bytes of the coding.
    private var start: [UInt8] {
        switch self {
        // RFC 1952 §2.3: the magic number, deflate, no flags, no time, Unix.
        case .gzip: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        // RFC 1950 §2.2: deflate with a window of 32 KiB.
        case .deflate: [0x78, 0x9C]
        // RFC 7932 §9: a window of 4 MiB, and a first meta-block of as many zeros.
        case .brotli: [0xCB, 0xFF, 0xFF, 0x1F, 0x00, 0x24, 0x00, 0xE2, 0xB1, 0x40, 0x72, 0xEF, 0x7F, 0x0C]
        }
    }

    /// The repeated block, and the number of zeros that it represents.
    private var piece: (bytes: [UInt8], size: Int) {
        switch self {
        // RFC 1951 §3.2.7: a block of 64 KiB of zeros, and an empty stored one to align to a byte.
        case .gzip, .deflate:
            (
                [0xEC, 0xC1, 1, 1, 0, 0, 0, 0x80, 0x90, 0xFE, 0xAF, 0xEE, 0x08, 0x0A]
                    + [UInt8](repeating: 0, count: 63) + [0x6A, 0, 0, 0, 0xFF, 0xFF],
                65_536
            )
        // RFC 7932 §9.2: a meta-block of 4 MiB of zeros.
        case .brotli:
            ([0xFC, 0xFF, 0xFF, 0x01, 0x40, 0x02, 0x20, 0x0E, 0x0B, 0x40, 0xF7, 0xFE, 0xC7, 0x00], 4 << 20)
        }
    }

    /// A server's script that responds with the content until the client closes the connection.
    package var script: ScriptedServer.Script {
        { connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: \(rawValue)\r\n\r\n")
            try connection.send(start)
            let (bytes, size) = piece
            // The batch divides the number of blocks of each coding.
            let batch = 512
            let many = bytes.repeated(batch)
            for _ in 0..<(Self.size / size / batch) { try connection.send(many) }
            connection.waitForClose()
        }
    }
}
