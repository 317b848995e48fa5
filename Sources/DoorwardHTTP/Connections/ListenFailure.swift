internal import Glibc
internal import NIOCore

/// Why the gateway cannot listen on its address, in one sentence with the next step.
package struct ListenFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The sentence, with the host or the port, and without a full stop.
    package let description: String

    /// - Returns: `nil` for an error that has nothing to do with the address.
    init?(_ error: any Error, host: String, port: Int) {
        switch error {
        case is SocketAddressError.UnknownHost:
            description = "the name `\(host)` has no address on this machine; choose another http.host"
        case let error as IOError:
            guard let sentence = Self.sentence(error.errnoCode, host, port) else { return nil }
            description = sentence
        default: return nil
        }
    }

    private static func sentence(_ code: Int32, _ host: String, _ port: Int) -> String? {
        switch code {
        case EADDRINUSE:
            "port \(port) of \(host) is taken by another program, which `ss -ltnp 'sport = :\(port)'` shows; stop it, or choose "
                + "another port, 0 for any free one (http.port; --port for the demo)"
        case EACCES, EPERM:
            "this user may not listen on port \(port) of \(host); choose an http.port from 1024, or give the program the right "
                + "CAP_NET_BIND_SERVICE (AmbientCapabilities= of a systemd unit)"
        case EADDRNOTAVAIL:
            "this machine does not have the address \(host); choose one that `ip address` shows as http.host"
        case EAFNOSUPPORT: "this machine does not support addresses such as \(host); choose another http.host"
        default: nil
        }
    }
}
