package import DoorwardAPI

/// Why a call to a gateway brought no answer that can be used.
package enum ClientError: Error, Equatable, Sendable {
    /// The gateway was not reached: nothing was sent.
    case noConnection(server: String, why: String)
    /// The call left, and no whole answer came. Whether it had an effect is not known.
    case noAnswer(server: String, why: String)
    /// The gateway refused.
    case refused(Refusal)
    /// Something answered that does not speak as a gateway does: not its envelope, or an older or newer one.
    case notAGateway(server: String)
    /// There is no session, or it has ended: somebody has to sign in again.
    case notSignedIn(server: String?)
    /// The address cannot be used; `why` is a sentence.
    case badAddress(String, why: String)
    /// The file of the session cannot be used; `why` says what to do.
    case sessionFile(path: String, why: String)
}

/// An error that the gateway answered.
package struct Refusal: Equatable, Sendable {
    /// The HTTP status.
    package var status: Int
    /// The stable word for programs.
    package var code: String
    /// One sentence for a person.
    package var message: String
    /// Why a right was denied, where the caller may know.
    package var denial: Wire.Denial?
    /// What was wrong with the request.
    package var fields: [Wire.FieldProblem]
    /// The command that the error is about, if there is one.
    package var command: Wire.Command?
    /// What finds the call in the gateway's own log.
    package var requestID: String?
    /// Seconds after which another attempt is worth it.
    package var retryAfter: Int?

    package init(
        status: Int, code: String, message: String, denial: Wire.Denial? = nil, fields: [Wire.FieldProblem] = [],
        command: Wire.Command? = nil, requestID: String? = nil, retryAfter: Int? = nil
    ) {
        (self.status, self.code, self.message, self.denial) = (status, code, message, denial)
        (self.fields, self.command, self.requestID, self.retryAfter) = (fields, command, requestID, retryAfter)
    }
}
