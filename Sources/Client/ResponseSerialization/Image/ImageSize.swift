/// The size of an image in pixels.
struct ImageSize: Sendable, Hashable {
    var width: Int
    var height: Int
}
