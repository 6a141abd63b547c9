import Foundation
import Testing

/// Images written by the Python library Pillow, complete or up to their pixels.
struct ImageSample: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    let object: String

    var testDescription: String { name }

    private init(_ name: String, _ format: String, _ width: Int, _ height: Int, _ base64: String) {
        self.name = name
        bytes = Data(base64Encoded: base64, options: .ignoreUnknownCharacters).map { Array($0) } ?? []
        object = #"{"format":"\#(format)","width":\#(width),"height":\#(height)}"#
    }

    static let all = [
        Self(
            "png", "png", 300, 7,
            """
            iVBORw0KGgoAAAANSUhEUgAAASwAAAAHAQAAAACaGk2ZAAAAFklEQVR4nGP8z0AE+MhEjCoGhmGgDAD0wgH+KaDLIgAAAABJRU5E
            rkJggg==
            """),
        Self(
            "baselineJPEG", "jpeg", 258, 5,
            """
            /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////////////
            ////////////////////wAALCAAFAQIBAREA/8QAHwAAAQUBAQEBAQEAAAAA
            """),
        Self(
            "progressiveJPEG", "jpeg", 17, 259,
            """
            /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////////////
            ////////////////////wgALCAEDABEBAREA/8QAFQABAQAAAAAAAAAAAAAA
            """),
        Self(
            "gif", "gif", 260, 3,
            """
            R0lGODdhBAEDAIAAAAAAAAAAACwAAAAABAEDAAAILwABCBxIsKDBgwgTKlzIsKHDhxAjSpxIsaLFixgzatzIsaPHjyBDihxJsqTJ
            kwEBADs=
            """),
        Self(
            "lossyWebP", "webp", 261, 2,
            """
            UklGRjoAAABXRUJQVlA4IC4AAACQAwCdASoFAQIAP83m8HI/uDMsIegD8DmJaQAADvP9VkW2Yv+gAP7p3QAAAAAA
            """),
        Self(
            "losslessWebP", "webp", 262, 4,
            """
            UklGRhoAAABXRUJQVlA4TA4AAAAvBcEAAAcQGf0PRET/Aw==
            """),
        Self(
            "extendedWebP", "webp", 263, 6,
            """
            UklGRm4AAABXRUJQVlA4WAoAAAAIAAAABgEABQAAVlA4IC4AAACQAwCdASoHAQYAP83m8HI/uDMsIegD8DmJaQAADvP9VkW2Yv+g
            AP7p3QAAAAAARVhJRhoAAABNTQAqAAAACAABARIAAwAAAAEABgAAAAAAAA==
            """),
        Self(
            "bmp", "bmp", 264, 3,
            """
            Qk2qAAAAAAAAAD4AAAAoAAAACAEAAAMAAAABAAEAAAAAAGwAAADEDgAAxA4AAAIAAAACAAAAAAAAAP///wD/////////////////
            //////8=
            """),
        Self(
            "littleEndianTIFF", "tiff", 265, 2,
            """
            SUkqAAgAAAAIAAABBAABAAAACQEAAAEBBAABAAAAAgAAAAMBAwABAAAAAQAAAAYBAwABAAAAAQAAABEBBAABAAAAbgAAABYBBAAB
            AAAAAgAAABcBBAABAAAARAAAABwBAwABAAAAAQAAAAAAAAA=
            """),
        Self(
            "bigEndianTIFF", "tiff", 266, 1,
            """
            TU0AKgAAAAgACQEAAAQAAAABAAABCgEBAAQAAAABAAAAAQECAAMAAAABABAAAAEDAAMAAAABAAEAAAEGAAMAAAABAAEAAAERAAQA
            AAABAAAAegEWAAQAAAABAAAAAQEXAAQAAAABAAACFAEcAAMAAAABAAEAAAAAAAA=
            """),
        Self(
            "ico", "ico", 48, 48,
            """
            AAABAAMAEBAAAAAAIABLAAAANgAAACAgAAAAACAAUwAAAIEAAAAwMAAAAAAgAIgAAADUAAAAiVBORw0KGgoAAAANSUhEUgAAABAA
            AAAQCAYAAAAf8/9hAAAAEklEQVR4nGNgGAWjYBSMAggAAAQQAAFVN1rQAAAAAElFTkSuQmCCiVBORw0KGgoAAAANSUhEUgAAACAA
            AAAgCAYAAABzenr0AAAAGklEQVR4nO3BAQEAAACCIP+vbkhAAQAAAO8GECAAARlDNO4AAAAASUVORK5CYIKJUE5HDQoaCgAAAA1J
            SERSAAAAMAAAADAIBgAAAFcC+YcAAABPSURBVHic7c9BDQAgDMBAhn/RE8HjQtJT0M6cv10d8KoBrQGtAa0BrQGtAa0BrQGtAa0B
            rQGtAa0BrQGtAa0BrQGtAa0BrQGtAa0BrQFtARHIAGEb6mApAAAAAElFTkSuQmCC
            """),
        Self(
            "xbm", "xbm", 19, 2,
            """
            I2RlZmluZSBpbV93aWR0aCAxOQojZGVmaW5lIGltX2hlaWdodCAyCnN0YXRpYyBjaGFyIGltX2JpdHNbXSA9IHsKMHhmZiwweGZm
            LDB4MDcsMHhmZiwweGZmLDB4MDcKfTsK
            """),
    ]
}
