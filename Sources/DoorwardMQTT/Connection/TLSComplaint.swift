/// Messages for TLS failures that name what to change.
enum TLSComplaint {
    /// Fragments of log lines of libmosquitto or OpenSSL, with the message for each. The first that is found counts.
    private static let meanings: [(sign: String, words: String)] = [
        ("Unable to load CA certificates", "the file of its certificate authority holds no certificate in PEM form"),
        ("key values mismatch", "the gateway's own certificate and private key do not belong together"),
        ("Unable to load client certificate", "the gateway's own certificate is no certificate in PEM form"),
        (
            "Unable to load client key",
            "the gateway's own private key is none in PEM form, or is locked with a passphrase: give one without"
        ),
        (
            "host name verification failed",
            "its certificate is for another host name: connect by a name that the certificate holds, or have one issued for this"
        ),
        (
            "certificate verify failed",
            "its certificate does not come from the certificate authority that was given, or is out of date: check both"
        ),
        ("wrong version number", "what answers does not speak TLS: check the port, or connect without TLS"),
        ("packet length too long", "what answers does not speak TLS: check the port, or connect without TLS"),
        ("alert protocol version", "it does not support TLS 1.2 or newer"),
        ("unsupported protocol", "it does not support TLS 1.2 or newer"),
        ("certificate required", "it wants a certificate of the gateway, and none was given"),
        ("alert", "it does not accept the gateway: give the gateway a certificate that the broker's authority has signed"),
        ("unexpected eof", "it ended the connection in the middle: check that this port speaks TLS"),
    ]

    /// - Returns: the message; `nil` when no line is about TLS.
    static func words(_ lines: [String]) -> String? {
        for (sign, words) in meanings where lines.contains(where: { $0.contains(sign) }) { return words }
        return lines.contains { $0.contains("OpenSSL") } ? "it and the gateway find no way to speak TLS with one another" : nil
    }
}
