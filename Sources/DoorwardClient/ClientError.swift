/// Why a call to a gateway brought no answer that can be used.
package enum ClientError: Error, Equatable, Sendable {
    /// Nobody answered there, or the connection ended before the answer was whole. Whether the call had an effect is not known.
    case noConnection(server: String, why: String)
    /// The gateway refused. `code` is the stable code of the envelope, `message` its sentence for a person.
    case refused(status: Int, code: String, message: String)
    /// Something answered that does not speak as a gateway does: not its envelope, or an older or newer one.
    case notAGateway(server: String)
}
