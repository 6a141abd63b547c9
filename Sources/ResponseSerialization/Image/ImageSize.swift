/// How large an image is, in pixels.
struct ImageSize: Sendable, Hashable {
    var width: Int
    var height: Int
}
