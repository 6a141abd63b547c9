import ErrandCryptography
import ErrandText
import Testing

@Suite("SHA512_256")
struct SHA512_256Tests {
    @Test(
        "NIST's examples have the expected digests, which are not halves of a SHA-512",
        arguments: [
            ("", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
            ("abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
                    + "mnopqrstnopqrstu",
                "3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a"
            ),
        ])
    func published(text: String, digest: String) {
        #expect(SHA512_256.hash(Array(text.utf8)).map { Hexadecimal.encode($0) } == digest)
    }
}
