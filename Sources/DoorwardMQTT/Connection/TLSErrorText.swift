/// Messages about TLS failures. Each message names the cause that the operator can correct.
enum TLSErrorText {
    /// Fragments of log lines of libmosquitto or OpenSSL, with the message for each. The first match determines the message.
    private static let messages: [(fragment: String, message: String)] = [
        ("Unable to load CA certificates", "the file of the certificate authority contains no certificate in PEM format"),
        ("key values mismatch", "the gateway's certificate and its private key do not belong together"),
        ("Unable to load client certificate", "the file of the gateway's certificate contains no certificate in PEM format"),
        (
            "Unable to load client key",
            "the file of the gateway's private key contains no key in PEM format, or the key has a passphrase: use one without"
        ),
        (
            "host name verification failed",
            "the broker's certificate is for another host name: connect by a name in the certificate, or issue one for this name"
        ),
        (
            "certificate verify failed",
            "certificate not trusted: it is not signed by a trusted certificate authority, or has expired"
        ),
        ("wrong version number", "the server does not use TLS: check the port, or connect without TLS"),
        ("packet length too long", "the server does not use TLS: check the port, or connect without TLS"),
        ("alert protocol version", "the broker does not support TLS 1.2 or newer"),
        ("unsupported protocol", "the broker does not support TLS 1.2 or newer"),
        ("certificate required", "the broker requires a client certificate, and none is configured"),
        ("alert", "the broker rejected the handshake: configure a client certificate that the broker's authority has signed"),
        ("unexpected eof", "the broker closed the connection during the handshake: check that this port uses TLS"),
    ]

    /// - Returns: the message; `nil` when no line is about TLS.
    static func text(for lines: [String]) -> String? {
        for (fragment, message) in messages where lines.contains(where: { $0.contains(fragment) }) { return message }
        return lines.contains { $0.contains("OpenSSL") } ? "the broker and the gateway share no TLS version and cipher" : nil
    }
}
