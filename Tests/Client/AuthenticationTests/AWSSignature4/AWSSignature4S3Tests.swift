import ErrandAuthentication
import ErrandTransfer
import HTTPTypes
import Testing

/// The four examples of "Signature Calculations for the Authorization Header: Transferring Payload in a Single Chunk"
/// in the documentation of Amazon S3.
@Suite("AWSSignature4 for S3")
struct AWSSignature4S3Tests {
    static let emptyDigest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = HTTPRequest.Method.get
        let target: String
        var headers: [(String, String)] = []
        var body = ""
        var digest = emptyDigest
        let signed: String
        let signature: String
    }

    static let examples: [Example] = [
        Example(
            testDescription: "GET Object", target: "/test.txt", headers: [("Range", "bytes=0-9")],
            signed: "host;range;x-amz-content-sha256;x-amz-date",
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Example(
            testDescription: "PUT Object", method: .put, target: "/test$file.text",
            headers: [
                ("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ], body: "Welcome to Amazon S3.",
            digest: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
            signed: "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Example(
            testDescription: "GET Bucket Lifecycle", target: "/?lifecycle",
            signed: "host;x-amz-content-sha256;x-amz-date",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Example(
            testDescription: "GET Bucket (List Objects)", target: "/?max-keys=2&prefix=J",
            signed: "host;x-amz-content-sha256;x-amz-date",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    static let signature = AWSSignature4(
        AWSCredentials(
            region: "us-east-1", service: "s3", accessKey: "AKIAIOSFODNN7EXAMPLE",
            secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"))
    /// 2013-05-24T00:00:00Z.
    static let time = AWSTimestamp(secondsSince1970: 1_369_353_600)

    @Test("The examples of the documentation have their signatures", arguments: examples)
    func published(example: Example) throws {
        var headers = try AWSSignature4Tests.fields(example.headers)
        Self.signature.sign(
            &headers, method: example.method,
            url: try HTTPURL("https://examplebucket.s3.amazonaws.com\(example.target)"),
            payload: AWSPayload(Array(example.body.utf8)), at: Self.time)
        #expect(
            headers[.authorization]
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                + "SignedHeaders=\(example.signed), Signature=\(example.signature)")
        #expect(headers[try #require(HTTPField.Name("x-amz-content-sha256"))] == example.digest)
    }

    @Test("An object key is signed as it is sent, including escapes and repeated slashes")
    func objectKey() throws {
        var headers = HTTPFields()
        Self.signature.sign(
            &headers, method: .get, url: try HTTPURL("https://examplebucket.s3.amazonaws.com/photos//a%20b.jpg"),
            payload: AWSPayload([]), at: Self.time)
        // Computed independently.
        let signature = "935c2f1d5c21af8fce0a6d1d964b81434bf705945782ab10afbcca1a08bf36ab"
        #expect(try #require(headers[.authorization]).hasSuffix("Signature=\(signature)"))
    }

    @Test("Only services with S3's rules send the digest of the content in a field")
    func services() throws {
        let name = try #require(HTTPField.Name("x-amz-content-sha256"))
        let rules = try ["s3", "s3express", "s3-outposts", "s3-object-lambda", "s3tables", "execute-api"].map {
            service in
            var headers = HTTPFields()
            AWSSignature4(AWSCredentials(region: "r", service: service, accessKey: "a", secretKey: "s")).sign(
                &headers, method: .get, url: try HTTPURL("https://e.com/"), payload: AWSPayload([]), at: Self.time)
            return headers[name] != nil
        }
        #expect(rules == [true, true, true, true, false, false])
    }
}
