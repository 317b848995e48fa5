internal import AsyncHTTPClient
internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// Why a connection failed.
struct ConnectionFailure {
    /// The reason, for a person.
    let reason: String
    /// Whether the connection failed before anything was sent.
    var isBeforeSending = false
    /// Whether the connection broke before the response was complete.
    var isBroken = false
    /// Whether the certificate was refused, before anything was sent.
    var isUntrusted = false

    init(_ error: any Error) {
        switch error {
        case let error as HTTPClientError: self.init(error)
        case let error as NIOConnectionError: self.init(error)
        case let error as IOError: self.init(error)
        case NIOSSLError.uncleanShutdown: self = .broken
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            self.init(reason: "certificate not trusted: it is for another host", isBeforeSending: true)
            isUntrusted = true
        case NIOSSLError.unableToValidateCertificate, NIOSSLError.noCertificateToValidate: self = .untrusted
        case NIOSSLError.handshakeFailed(let cause), let cause as BoringSSLError:
            self = Self.isRefusedCertificate(cause) ? .untrusted : .noTLS
        case is NIOSSLError, is NIOSSLExtraError: self = .noTLS
        case is NIOTooManyBytesError: self.init(reason: "the response is too large")
        default: self.init(reason: "the connection failed")
        }
    }

    private init(reason: String, isBeforeSending: Bool = false, isBroken: Bool = false) {
        (self.reason, self.isBeforeSending, self.isBroken) = (reason, isBeforeSending, isBroken)
    }

    private static let broken = ConnectionFailure(reason: "the connection ended before the response was complete", isBroken: true)

    private static let noTLS = ConnectionFailure(
        reason: "the TLS handshake failed; this port may not serve HTTPS", isBeforeSending: true)

    private static let untrusted: ConnectionFailure = {
        var failure = ConnectionFailure(reason: "certificate not trusted", isBeforeSending: true)
        failure.isUntrusted = true
        return failure
    }()

    /// Whether the gateway's certificate was rejected. The Swift API of BoringSSL has no code for
    /// this reason, only its name in the error's description.
    private static func isRefusedCertificate(_ error: BoringSSLError) -> Bool { "\(error)".contains("CERTIFICATE_VERIFY_FAILED") }

    private init(_ error: HTTPClientError) {
        switch error {
        case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
            self.init(reason: "it does not respond", isBeforeSending: true)
        case .deadlineExceeded, .readTimeout, .writeTimeout: self.init(reason: "no response arrived in time")
        case .remoteConnectionClosed, .uncleanShutdown: self = .broken
        default: self.init(reason: "the response is not valid HTTP")
        }
    }

    private init(_ error: NIOConnectionError) {
        if error.connectionErrors.isEmpty, error.dnsAError != nil || error.dnsAAAAError != nil {
            self.init(reason: "host not found", isBeforeSending: true)
        } else {
            let reason = error.connectionErrors.first.map { ConnectionFailure($0.error).reason }
            self.init(reason: reason ?? "it does not respond", isBeforeSending: true)
        }
    }

    private init(_ error: IOError) {
        switch error.errnoCode {
        case ECONNREFUSED: self.init(reason: "connection refused", isBeforeSending: true)
        case EHOSTUNREACH, ENETUNREACH: self.init(reason: "no route to host", isBeforeSending: true)
        case ECONNRESET, EPIPE: self = .broken
        default: self.init(reason: "the connection failed")
        }
    }
}
