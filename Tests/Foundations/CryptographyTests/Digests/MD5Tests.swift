import ErrandCryptography
import ErrandText
import Testing

@Suite("MD5")
struct MD5Tests {
    @Test(
        "The examples of RFC 1321 have the expected digests",
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"),
            ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        ])
    func published(text: String, digest: String) {
        #expect(MD5.hash(Array(text.utf8)).map { Hexadecimal.encode($0) } == digest)
    }
}
