package import ErrandTransfer
import HTTPTypes

/// The answers of a user name and a password to challenges, without anything that is kept for later requests.
package enum PasswordAnswer {
    /// Returns the value of `Authorization` for the scheme `Basic`.
    package static func basic(username: String, password: String) -> String {
        BasicCredentials(username: username, password: password).authorization
    }

    /// Returns the value of `Authorization` for the scheme `Digest`; `nil` if no challenge can be answered.
    ///
    /// - Parameters:
    ///   - challenges: The challenges of a response, of which the one with the strongest algorithm is answered.
    ///   - username: The user name.
    ///   - password: The password.
    ///   - request: The request as it is sent.
    ///   - onlyIfStale: True to answer only challenges whose server says that the nonce was stale.
    ///   - randomBytes: Returns the given number of unpredictable bytes.
    package static func digest(
        to challenges: [AuthenticationChallenge], username: String, password: String, for request: TransferRequest,
        onlyIfStale: Bool, randomBytes: (Int) -> [UInt8] = Authenticator.systemRandomBytes
    ) -> String? {
        let answerable = DigestChallenge.answerable(of: challenges).filter { $0.isStale || !onlyIfStale }
        var session = DigestSession(answerable, username: username, password: password, randomBytes: randomBytes)
        guard session?.countRequest() == true else { return nil }
        return session?.authorization(method: request.method.rawValue, target: request.url.target)
    }
}
