/// The reason for which a text is not the name of a file.
package enum FileNameProblem: Error, Sendable, Hashable, CaseIterable {
    /// The text is empty.
    case empty
    /// The text is `.` or `..`, which lead to another folder.
    case dots
    /// The text has a slash or a backslash.
    case separator
    /// The text has a character that is not visible: a control character, or one that changes the direction of text.
    case control
    /// The text is longer than ``FileName/maxBytes``.
    case tooLong
    /// The text ends with a dot or a space, which some systems drop.
    case ending
    /// The text is the name of a device on Windows, or that of a partial file.
    case reserved

    /// Returns the first problem of a text; `nil` if it is allowed.
    init?(of text: String) {
        guard let problem = Self.first(of: text) else { return nil }
        self = problem
    }

    private static func first(of text: String) -> FileNameProblem? {
        if text.isEmpty { return .empty }
        if text == "." || text == ".." { return .dots }
        if text.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }) { return .separator }
        if !text.unicodeScalars.allSatisfy(isPrintable) { return .control }
        if text.utf8.count > FileName.maxBytes { return .tooLong }
        if let last = text.utf8.last, last == UInt8(ascii: ".") || last == UInt8(ascii: " ") { return .ending }
        return isDevice(text) || isPartialFile(text) ? .reserved : nil
    }

    /// Returns true for characters that a name may have.
    static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        // Joiners are part of words and emoji; the others are invisible or change the direction of text.
        case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
        default: true
        }
    }

    private static let devices: Set<String> = [
        "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$",
        "COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8", "COM9", "COM¹", "COM²", "COM³",
        "LPT1", "LPT2", "LPT3", "LPT4", "LPT5", "LPT6", "LPT7", "LPT8", "LPT9", "LPT¹", "LPT²", "LPT³",
    ]

    /// Returns true for the names of devices, which Windows reserves in each folder and with every extension.
    private static func isDevice(_ text: String) -> Bool {
        var stem = text.unicodeScalars.prefix { $0 != "." }
        while stem.last == " " { stem.removeLast() }
        return devices.contains(String(stem).uppercased())
    }

    /// Returns true for names such as those of ``PartialFile``.
    private static func isPartialFile(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: ".") && text.utf8.suffix(5).elementsEqual(".part".utf8)
    }
}

extension FileNameProblem: CustomStringConvertible {
    /// The problem as the end of a sentence about the name.
    package var description: String {
        switch self {
        case .empty: "is empty"
        case .dots: "leads to another folder"
        case .separator: "has a slash or a backslash"
        case .control: "has a control character"
        case .tooLong: "is longer than \(FileName.maxBytes) bytes"
        case .ending: "ends with a dot or a space"
        case .reserved: "is reserved"
        }
    }
}
