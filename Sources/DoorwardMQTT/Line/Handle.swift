internal import CMosquitto
internal import DoorwardDomain
internal import Glibc

/// One connection of libmosquitto, from its first packet to its end. It is never taken up again: when it breaks, it is thrown
/// away with everything that it still holds.
///
/// libmosquitto queues what it reports as failed and sends it after a reconnect. A handle that is never reconnected has no
/// afterwards.
struct Handle: ~Copyable {
    private let pointer: OpaquePointer
    /// What its callbacks have noted since somebody looked.
    let events: HandleEvents

    /// - Returns: `nil` without memory for it.
    init?(_ settings: MQTTSettings, _ version: MQTTVersion) {
        Library.begin()
        let events = HandleEvents()
        guard let pointer = mosquitto_new(settings.clientID, true, Unmanaged.passUnretained(events).toOpaque()) else {
            return nil
        }
        (self.pointer, self.events) = (pointer, events)
        mosquitto_int_option(
            pointer, MOSQ_OPT_PROTOCOL_VERSION, version == .five ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311)
        mosquitto_int_option(pointer, MOSQ_OPT_TCP_NODELAY, 1)
        // As many as the broker allows: the line counts for itself, and hands over none that would have to wait here.
        mosquitto_int_option(pointer, MOSQ_OPT_SEND_MAXIMUM, 65_535)
        HandleEvents.listen(to: pointer)
    }

    deinit { mosquitto_destroy(pointer) }

    // MARK: - Connecting

    /// Sets what the broker is told, and begins. Looking up the name blocks.
    func connect(_ settings: MQTTSettings) throws(MQTTFailure) {
        if let user = settings.user {
            try check(mosquitto_username_pw_set(pointer, user.name, user.password?.reveal()), "user name or password")
        }
        if let will = settings.will {
            let payload = will.payload
            try check(
                mosquitto_will_set_v5(
                    pointer, will.topic.description, Int32(payload.count), payload, 1, will.isRetained, nil), "last will")
        }
        if let tls = settings.tls { try secure(tls) }
        let result = mosquitto_connect_bind_async(
            pointer, settings.host, Int32(settings.port), Int32(max(5, settings.keepAlive.components.seconds)), nil)
        switch mosq_err_t(result) {
        case MOSQ_ERR_SUCCESS, MOSQ_ERR_CONN_PENDING: break
        case MOSQ_ERR_EAI: throw .unreachable("there is no such host")
        case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE: throw .notTrusted(words(result))
        case MOSQ_ERR_ERRNO: throw .unreachable(String(cString: strerror(errno)))
        default: throw .unreachable(words(result))
        }
    }

    private func secure(_ tls: MQTTSettings.TLS) throws(MQTTFailure) {
        let system = "/etc/ssl/certs"
        let result = mosquitto_tls_set(
            pointer, tls.authorityFile, tls.authorityFile == nil ? system : nil, tls.certificate?.file,
            tls.certificate?.keyFile, nil)
        guard mosq_err_t(result) == MOSQ_ERR_SUCCESS else { throw .notTrusted("a certificate or key file cannot be read") }
        // 1: the broker's certificate is verified. The host's name is verified too, unless told otherwise, which it is not.
        mosquitto_tls_opts_set(pointer, 1, "tlsv1.2", nil)
    }

    private func check(_ result: Int32, _ what: String) throws(MQTTFailure) {
        guard mosq_err_t(result) == MOSQ_ERR_SUCCESS else { throw .refused("\(what): \(words(result))") }
    }

    // MARK: - The socket

    /// -1 while there is none.
    var socket: Int32 { mosquitto_socket(pointer) }

    /// Whether bytes wait that the socket has not taken.
    var hasUnsentBytes: Bool { mosquitto_want_write(pointer) }

    /// Reads what has come, some packets at the most.
    func read() throws(MQTTFailure) { try live(mosquitto_loop_read(pointer, 64)) }

    func write() throws(MQTTFailure) { try live(mosquitto_loop_write(pointer, 64)) }

    /// Pings when it is time to, and finds out that the broker is silent.
    func look() throws(MQTTFailure) { try live(mosquitto_loop_misc(pointer)) }

    private func live(_ result: Int32) throws(MQTTFailure) {
        switch mosq_err_t(result) {
        case MOSQ_ERR_SUCCESS, MOSQ_ERR_CONN_PENDING: return
        case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE: throw .notTrusted(words(result))
        case MOSQ_ERR_ERRNO: throw .lost(String(cString: strerror(errno)))
        case MOSQ_ERR_KEEPALIVE: throw .lost("the broker is silent")
        default: throw .lost(words(result))
        }
    }

    private func words(_ result: Int32) -> String { String(cString: mosquitto_strerror(result)) }

    // MARK: - Speaking

    /// Asks for messages: also for those that the broker keeps, which come marked.
    ///
    /// - Returns: the number under which the broker answers.
    func subscribe(_ filters: [MQTTFilter]) -> Int32? {
        var number: Int32 = 0
        let result = Self.withTexts(of: filters) { texts, count in
            mosquitto_subscribe_multiple(pointer, &number, count, texts, 1, 0, nil)
        }
        return mosq_err_t(result) == MOSQ_ERR_SUCCESS ? number : nil
    }

    /// - Returns: false where it could not be said.
    func unsubscribe(_ filters: [MQTTFilter]) -> Bool {
        let result = Self.withTexts(of: filters) { texts, count in
            mosquitto_unsubscribe_multiple(pointer, nil, count, texts, nil)
        }
        return mosq_err_t(result) == MOSQ_ERR_SUCCESS
    }

    /// Puts the question of `Pulse`.
    ///
    /// - Returns: the number under which the broker answers.
    func askPulse() -> Int32? {
        var number: Int32 = 0
        let result = mosquitto_unsubscribe_v5(pointer, &number, "doorward/pulse", nil)
        return mosq_err_t(result) == MOSQ_ERR_SUCCESS ? number : nil
    }

    private static func withTexts(
        of filters: [MQTTFilter], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?, Int32) -> Int32
    ) -> Int32 {
        let texts = filters.map { strdup($0.description) }
        defer { for text in texts { free(text) } }
        return texts.withUnsafeBufferPointer { body($0.baseAddress, Int32($0.count)) }
    }

    /// Hands a frame over. Whether the socket took it, `hasUnsentBytes` tells. It is never retained.
    ///
    /// - Returns: the frame's number, and how it went.
    func publish(_ frame: MQTTFrame, _ version: MQTTVersion) -> (number: Int32, result: mosq_err_t) {
        var properties: OpaquePointer?
        if version == .five {
            // Whole seconds, so rounded down, and one at least: 0 would mean at once.
            let seconds = UInt32(clamping: max(1, frame.lifetime.components.seconds))
            mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), seconds)
        }
        defer { mosquitto_property_free_all(&properties) }
        var number: Int32 = 0
        let result = mosquitto_publish_v5(
            pointer, &number, frame.topic.description, Int32(frame.payload.count), frame.payload, frame.quality.rawValue, false,
            properties)
        return (number, mosq_err_t(result))
    }

    /// Hands an announcement over, which may wait in the library until the socket takes it.
    func announce(_ word: MQTTAnnouncement) -> (number: Int32, result: mosq_err_t) {
        var number: Int32 = 0
        let result = mosquitto_publish_v5(
            pointer, &number, word.topic.description, Int32(word.payload.count), word.payload, word.quality.rawValue,
            word.isRetained, nil)
        return (number, mosq_err_t(result))
    }

    /// Says goodbye, so that the broker keeps the last will to itself.
    func sayGoodbye() { mosquitto_disconnect_v5(pointer, 0, nil) }
}

extension mosq_err_t {
    init(_ result: Int32) { self.init(rawValue: result) }
}

/// libmosquitto's own state, which is set up once for the process and stays.
private enum Library {
    private static let result = mosquitto_lib_init()

    static func begin() { _ = result }
}
