internal import CMosquitto
internal import DoorwardDomain
internal import Glibc

/// One connection of libmosquitto, from its CONNECT packet to its end. A broken connection is never
/// re-established: the client is destroyed with all messages that it still holds.
///
/// libmosquitto queues messages whose publication it reports as failed, and sends them after a reconnect. A client that is never
/// reconnected never sends them.
///
/// `@unchecked Sendable`: the type cannot be copied, so each connection has one owner at a time, and libmosquitto does not bind a
/// connection to a thread.
struct MosquittoClient: ~Copyable, @unchecked Sendable {  // One owner at a time, on any thread; see above.
    /// Maximum number of packets read by one call.
    private static let maxPacketsPerRead = 64

    private let pointer: OpaquePointer
    /// Events that the callbacks have recorded since they were last taken.
    let events: MosquittoCallbacks
    private let version: MQTTVersion

    /// Begins to connect. Blocks while the system resolves the host name.
    static func make(_ settings: MQTTSettings, _ version: MQTTVersion) throws(MQTTFailure) -> MosquittoClient {
        _ = libraryResult
        guard DescriptorReserve.isFree else { throw .unreachable(String(cString: strerror(EMFILE))) }
        let events = MosquittoCallbacks(maximumPayloadBytes: settings.maximumPayloadBytes)
        let id = settings.clientID.isEmpty ? nil : settings.clientID
        guard let pointer = mosquitto_new(id, true, Unmanaged.passUnretained(events).toOpaque()) else {
            throw .unreachable("out of memory")
        }
        let client = MosquittoClient(pointer, events, version)
        try client.connect(settings)
        return client
    }

    private init(_ pointer: OpaquePointer, _ events: MosquittoCallbacks, _ version: MQTTVersion) {
        (self.pointer, self.events, self.version) = (pointer, events, version)
        mosquitto_int_option(pointer, MOSQ_OPT_PROTOCOL_VERSION, version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311)
        mosquitto_int_option(pointer, MOSQ_OPT_TCP_NODELAY, 1)
        // The largest value, so that only the broker's limit counts: `ConnectionStateMachine` counts unacknowledged messages
        // itself, and never publishes a message that the library would have to queue.
        mosquitto_int_option(pointer, MOSQ_OPT_SEND_MAXIMUM, 65_535)
        MosquittoCallbacks.register(on: pointer)
    }

    deinit { mosquitto_destroy(pointer) }

    // MARK: - Connecting

    private func connect(_ settings: MQTTSettings) throws(MQTTFailure) {
        if let user = settings.user {
            try checkSetting(mosquitto_username_pw_set(pointer, user.name, user.password?.reveal()), "user name or password")
        }
        if let will = settings.will {
            let payload = will.payload
            try checkSetting(
                mosquitto_will_set_v5(
                    pointer, will.topic.description, Int32(payload.count), payload, 1, will.isRetained, nil), "last will")
        }
        if let tls = settings.tls { try configureTLS(tls) }
        if version == .v5 { limitPackets(settings.maximumPayloadBytes) }
        let keepAlive = min(max(5, settings.keepAlive.components.seconds), 65_535)
        let result = mosquitto_connect_bind_async(pointer, settings.host, Int32(settings.port), Int32(keepAlive), nil)
        switch mosq_err_t(result) {
        case MOSQ_ERR_SUCCESS, MOSQ_ERR_CONN_PENDING: break
        case MOSQ_ERR_EAI: throw .unreachable(errno == EAI_SYSTEM ? Self.lookupFailure : "host not found")
        case MOSQ_ERR_INVAL: throw .unreachable("invalid port")
        case MOSQ_ERR_ERRNO: throw .unreachable(String(cString: strerror(errno)))
        default: try checkLoopResult(result)
        }
    }

    /// The reason why name resolution failed. The library has overwritten `errno` by then, so this checks whether file
    /// descriptors are exhausted.
    private static var lookupFailure: String {
        let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return String(cString: strerror(errno)) }
        close(descriptor)
        return "the host name cannot be resolved"
    }

    /// Sets the Maximum Packet Size of the CONNECT packet. The library's non-blocking connect call takes no properties, but the
    /// library keeps the properties of a blocking call. This function makes the blocking call without a host, so that it returns
    /// at once.
    private func limitPackets(_ maximumPayloadBytes: Int) {
        var properties: OpaquePointer?
        // A topic has at most 64 KiB; the rest is for the properties.
        let size = UInt32(clamping: maximumPayloadBytes + 128 * 1024)
        mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), size)
        mosquitto_connect_bind_v5(pointer, nil, 0, 60, nil, properties)
        mosquitto_property_free_all(&properties)
    }

    private func configureTLS(_ tls: MQTTSettings.TLS) throws(MQTTFailure) {
        for (file, name) in [
            (tls.authorityFile, "file of the certificate authority"), (tls.certificate?.file, "gateway's own certificate"),
            (tls.certificate?.keyFile, "gateway's own private key"),
        ] {
            if let file, access(file, R_OK) != 0 {
                throw .tlsFailed("the \(name) cannot be read: \(String(cString: strerror(errno)))")
            }
        }
        let system = "/etc/ssl/certs"
        // The callback returns no passphrase, so that OpenSSL does not prompt for one at a terminal.
        let result = mosquitto_tls_set(
            pointer, tls.authorityFile, tls.authorityFile == nil ? system : nil, tls.certificate?.file,
            tls.certificate?.keyFile, { _, _, _, _ in 0 })
        guard mosq_err_t(result) == MOSQ_ERR_SUCCESS else { throw .tlsFailed("a certificate or key file cannot be read") }
        // 1 (SSL_VERIFY_PEER): the broker's certificate is verified. The library verifies the host name too, as nothing disables
        // that.
        mosquitto_tls_opts_set(pointer, 1, "tlsv1.2", nil)
    }

    private func checkSetting(_ result: Int32, _ what: String) throws(MQTTFailure) {
        guard mosq_err_t(result) == MOSQ_ERR_SUCCESS else { throw .connectionRefused("\(what): \(errorText(result))") }
    }

    // MARK: - The socket

    /// The file descriptor; -1 while there is none.
    var socket: Int32 { mosquitto_socket(pointer) }

    /// Whether the library holds bytes that the socket has not accepted.
    var hasUnsentBytes: Bool { mosquitto_want_write(pointer) }

    /// Reads at most `maxPacketsPerRead` packets.
    func read() throws(MQTTFailure) {
        for _ in 0..<Self.maxPacketsPerRead {
            // The library reads one packet, whatever its second parameter is.
            try checkLoopResult(mosquitto_loop_read(pointer, 1))
            var readable: Int32 = 0
            guard socket >= 0, ioctl(socket, UInt(FIONREAD), &readable) == 0, readable > 0 else { return }
        }
    }

    func write() throws(MQTTFailure) { try checkLoopResult(mosquitto_loop_write(pointer, 64)) }

    /// Sends a PINGREQ when one is due, and detects that the keep alive has expired.
    func keepAlive() throws(MQTTFailure) { try checkLoopResult(mosquitto_loop_misc(pointer)) }

    private func checkLoopResult(_ result: Int32) throws(MQTTFailure) {
        let error = errno
        switch mosq_err_t(result) {
        case MOSQ_ERR_SUCCESS, MOSQ_ERR_CONN_PENDING: return
        case MOSQ_ERR_KEEPALIVE: throw .connectionLost("it is silent")
        case MOSQ_ERR_ERRNO where [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT].contains(error):
            throw .unreachable(String(cString: strerror(error)))
        case let result:
            if let text = TLSErrorText.text(for: events.errorLog) { throw .tlsFailed(text) }
            throw .connectionLost(result == MOSQ_ERR_ERRNO ? String(cString: strerror(error)) : errorText(Int32(result.rawValue)))
        }
    }

    private func errorText(_ result: Int32) -> String { String(cString: mosquitto_strerror(result)) }

    // MARK: - Requests and messages

    /// Sends a SUBSCRIBE. The broker also delivers retained messages, with the retain flag set.
    ///
    /// - Parameter retainAsPublished: sets Retain As Published, so that live messages keep the retain flag of their publisher.
    ///   Has no effect with MQTT 3.1.1, where the broker clears the flag.
    func subscribe(_ filters: [MQTTFilter], retainAsPublished: Bool) -> RequestResult {
        var packetID: Int32 = 0
        let options = retainAsPublished && version == .v5 ? Int32(MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue) : 0
        let result = withCStrings(filters) {
            mosquitto_subscribe_multiple(pointer, &packetID, Int32(filters.count), $0, 1, options, nil)
        }
        return RequestResult(result, packetID)
    }

    func unsubscribe(_ filters: [MQTTFilter]) -> RequestResult {
        var packetID: Int32 = 0
        let result = withCStrings(filters) { mosquitto_unsubscribe_multiple(pointer, &packetID, Int32(filters.count), $0, nil) }
        return RequestResult(result, packetID)
    }

    /// Outcome of sending a SUBSCRIBE or UNSUBSCRIBE.
    enum RequestResult {
        /// The packet was sent, with this packet identifier.
        case sent(Int32)
        /// These filters cannot be sent to this broker; the code is the reason.
        case unsendable(code: Int32)
        /// The packet could not be sent now.
        case failed

        fileprivate init(_ result: Int32, _ packetID: Int32) {
            switch mosq_err_t(result) {
            case MOSQ_ERR_SUCCESS: self = .sent(packetID)
            case MOSQ_ERR_OVERSIZE_PACKET: self = .unsendable(code: ReasonCode.packetTooLarge)
            case MOSQ_ERR_INVAL, MOSQ_ERR_MALFORMED_UTF8: self = .unsendable(code: ReasonCode.topicFilterInvalid)
            default: self = .failed
            }
        }
    }

    /// Sends the UNSUBSCRIBE by which `BrokerLivenessProbe` probes the broker.
    ///
    /// - Returns: the packet identifier that the UNSUBACK will carry; `nil` if it could not be sent.
    func sendProbe() -> Int32? {
        var packetID: Int32 = 0
        let result = mosquitto_unsubscribe_v5(pointer, &packetID, "doorward/probe", nil)
        return mosq_err_t(result) == MOSQ_ERR_SUCCESS ? packetID : nil
    }

    private func withCStrings(_ filters: [MQTTFilter], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32) -> Int32 {
        let texts = filters.map { strdup($0.description) }
        defer { for text in texts { free(text) } }
        return texts.withUnsafeBufferPointer { $0.baseAddress.map(body) ?? Int32(MOSQ_ERR_INVAL.rawValue) }
    }

    /// Passes a message to the library, which writes it to the socket, and may hold a part of it until the socket accepts it:
    /// see `hasUnsentBytes`.
    ///
    /// - Parameter lifetime: after which the broker does not deliver it, with MQTT 5; `nil` for no limit.
    /// - Returns: the packet identifier, and the library's result.
    func publish(
        _ topic: MQTTTopic, _ payload: [UInt8], _ qos: MQTTQoS, isRetained: Bool, lifetime: Duration?
    ) -> (packetID: Int32, result: mosq_err_t) {
        var properties: OpaquePointer?
        if version == .v5, let lifetime {
            // MQTT allows only whole seconds: round down, but send at least 1, as 0 would make the message expire at once.
            let seconds = UInt32(clamping: max(1, lifetime.components.seconds))
            mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), seconds)
        }
        defer { mosquitto_property_free_all(&properties) }
        var packetID: Int32 = 0
        let result = mosquitto_publish_v5(
            pointer, &packetID, topic.description, Int32(payload.count), payload, qos.rawValue, isRetained, properties)
        return (packetID, mosq_err_t(result))
    }

    /// Sends a DISCONNECT, so that the broker does not publish the last will.
    func sendDisconnect() { mosquitto_disconnect_v5(pointer, 0, nil) }
}

extension mosq_err_t {
    init(_ result: Int32) { self.init(rawValue: result) }
}

/// The result of initialising libmosquitto, once per process; it is never cleaned up.
private let libraryResult = mosquitto_lib_init()

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
