internal import CMosquitto
internal import DoorwardDomain
internal import Glibc

/// The way to a broker as it is at one moment, for whoever has it alone: at rest, being connected, or standing.
struct Line: ~Copyable {
    /// What the socket was found ready for.
    struct Readiness {
        var toRead = false
        var toWrite = false
    }

    /// What to wait for before the next turn.
    enum Wait {
        case socket(Int32, toWrite: Bool, until: MonotonicInstant)
        case pause(until: MonotonicInstant)
    }

    private enum Phase {
        case resting(until: MonotonicInstant)
        case opening(until: MonotonicInstant)
        case standing
    }

    /// Bytes of a payload that is sent; no lock takes more than a few hundred.
    static let longestPayload = 64 * 1024
    /// Bytes of an announcement: what a lock in disorder may say, so that it can be played.
    private static let longestAnnouncement = 32 * 1024 * 1024
    /// Bytes that may wait in the kernel before a further frame is refused: a broker that reads never leaves so many.
    private static let longestBacklog: UInt64 = 64 * 1024
    /// How often the library looks at its own clock: pings, and a silent broker.
    private static let heartbeat = Duration.seconds(1)

    private let settings: MQTTSettings
    private let random: RandomSource
    private var phase: Phase
    private var handle: Handle?
    private var version = MQTTVersion.five
    private var backOff: BackOff
    private var late = LateFrames()
    private var pulse = Pulse()
    private var nextBeat: MonotonicInstant
    /// Frames that the broker has not acknowledged, and how many there may be.
    private var unacknowledged: Set<Int32> = []
    private var window = 0
    private var subscriptions = Subscriptions()

    init(_ settings: MQTTSettings, random: RandomSource, at now: MonotonicInstant) {
        (self.settings, self.random) = (settings, random)
        backOff = BackOff(first: settings.firstPause, longest: settings.longestPause)
        (phase, nextBeat) = (.resting(until: now), now)
    }

    var isStanding: Bool { if case .standing = phase { true } else { false } }

    // MARK: - Sending

    /// Hands the frame to the socket, whole, now, or throws.
    mutating func publish(_ frame: MQTTFrame, at now: MonotonicInstant) throws(MQTTSendError) -> MQTTFrameID? {
        guard isStanding, let socket = handle?.socket, socket >= 0 else { throw .notConnected }
        guard frame.payload.count <= Self.longestPayload else { throw .tooLong }
        let isAcknowledged = frame.quality == .atLeastOnce
        guard !isAcknowledged || unacknowledged.count < window, !pulse.isSlow(at: now) else { throw .busy }
        guard handle?.hasUnsentBytes == false, (TCPFlow(socket)?.unconfirmed ?? 0) <= Self.longestBacklog else { throw .busy }
        guard let (number, result) = handle?.publish(frame, version) else { throw .notConnected }
        switch result {
        case MOSQ_ERR_SUCCESS: break
        case MOSQ_ERR_OVERSIZE_PACKET, MOSQ_ERR_PAYLOAD_SIZE: throw .tooLong
        default:
            // Whatever the library still holds of it goes with the handle.
            cut()
            throw .notConnected
        }
        guard handle?.hasUnsentBytes == false else {
            cut()
            throw .busy
        }
        late.note(on: socket, until: now.advanced(by: frame.lifetime))
        guard isAcknowledged else { return nil }
        unacknowledged.insert(number)
        return MQTTFrameID(rawValue: number)
    }

    /// Hands an announcement to the library, which may hold a part of it until the socket takes it.
    mutating func announce(_ word: MQTTAnnouncement) throws(MQTTSendError) -> MQTTFrameID? {
        guard isStanding, handle?.hasUnsentBytes == false else { throw isStanding ? .busy : .notConnected }
        guard word.payload.count <= Self.longestAnnouncement else { throw .tooLong }
        let isAcknowledged = word.quality == .atLeastOnce
        guard !isAcknowledged || unacknowledged.count < window else { throw .busy }
        guard let (number, result) = handle?.announce(word) else { throw .notConnected }
        switch result {
        case MOSQ_ERR_SUCCESS: break
        case MOSQ_ERR_OVERSIZE_PACKET, MOSQ_ERR_PAYLOAD_SIZE: throw .tooLong
        default:
            cut()
            throw .notConnected
        }
        guard isAcknowledged else { return nil }
        unacknowledged.insert(number)
        return MQTTFrameID(rawValue: number)
    }

    /// Ends the connection so that nothing of it arrives any more: a reset drops what lies in the kernel. The turn that comes
    /// next tells of it.
    private mutating func cut() {
        if let socket = handle?.socket, socket >= 0 {
            var reset = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
        }
        drop()
    }

    private mutating func drop() {
        handle = nil
        late.forget()
        pulse.forget()
        unacknowledged = []
    }

    // MARK: - Turns

    /// Does what there is to do, without waiting, and says what to wait for.
    mutating func turn(
        _ ready: Readiness, _ changes: [Subscriptions.Change], at now: MonotonicInstant
    ) -> (events: [MQTTEvent], wait: Wait) {
        subscriptions.apply(changes)
        var events: [MQTTEvent] = []
        do throws(MQTTFailure) {
            try go(ready, at: now, &events)
        } catch {
            fail(error, at: now, &events)
        }
        return (events, wait(at: now))
    }

    private mutating func go(
        _ ready: Readiness, at now: MonotonicInstant, _ events: inout [MQTTEvent]
    ) throws(MQTTFailure) {
        switch phase {
        case .resting(let until):
            if until <= now { try open(at: now) }
        case .opening(let until):
            try serveOpening(ready)
            if let answer = handle?.events.answer { try stand(answer, &events) }
            if case .opening = phase, until <= now { throw .unreachable("it does not answer") }
        case .standing:
            guard handle != nil else { throw .stuck }
            try serve(ready)
            collect(&events)
            if let socket = handle?.socket, late.isOneStuck(on: socket, at: now) || pulse.isGone(at: now) {
                cut()
                throw .stuck
            }
            subscribe()
            beat(at: now)
        }
    }

    private mutating func open(at now: MonotonicInstant) throws(MQTTFailure) {
        handle = Handle(settings, version)
        phase = .opening(until: now.advanced(by: settings.patience))
        guard handle != nil else { throw .unreachable("there is no memory for it") }
        try handle?.connect(settings)
    }

    /// A broker that refuses says why and ends the connection: the reason counts, not the end.
    private mutating func serveOpening(_ ready: Readiness) throws(MQTTFailure) {
        do throws(MQTTFailure) {
            try serve(ready)
        } catch {
            if let answer = handle?.events.answer, answer.code != 0 { throw refusal(answer.code) }
            throw error
        }
    }

    private mutating func serve(_ ready: Readiness) throws(MQTTFailure) {
        if ready.toRead { try handle?.read() }
        if ready.toWrite { try handle?.write() }
        try handle?.look()
    }

    private mutating func stand(
        _ answer: (code: Int32, receiveMaximum: UInt16), _ events: inout [MQTTEvent]
    ) throws(MQTTFailure) {
        guard answer.code == 0 else { throw refusal(answer.code) }
        (phase, window) = (.standing, Int(answer.receiveMaximum))
        backOff.reset()
        events.append(.connected(version))
        subscriptions.beginAnew()
        subscribe()
        collect(&events)
    }

    /// 1 is what brokers of 3.1.1 say to a protocol that they do not know, 0x84 what those of 5.0 do.
    private func refusal(_ code: Int32) -> MQTTFailure {
        if version == .five, code == 1 || code == 0x84 { return .refused("it does not speak MQTT 5") }
        let words = version == .five ? mosquitto_reason_string(code) : mosquitto_connack_string(code)
        return .refused(words.map { String(cString: $0) } ?? "code \(code)")
    }

    private mutating func subscribe() {
        if subscriptions.isWaiting { handle?.tell(&subscriptions) }
    }

    /// Asks the broker whether it is there, once a heartbeat.
    private mutating func beat(at now: MonotonicInstant) {
        guard pulse.isAnswered, now >= nextBeat, let number = handle?.askPulse() else { return }
        nextBeat = now.advanced(by: Self.heartbeat)
        pulse.ask(number, at: now)
    }

    private mutating func collect(_ events: inout [MQTTEvent]) {
        guard let noted = handle?.events else { return }
        for number in noted.unsubscriptions { pulse.answered(number) }
        for (number, codes) in noted.subscriptions {
            for (filter, code) in subscriptions.answered(number, codes) {
                events.append(.subscriptionRefused(filter, reason: String(cString: mosquitto_reason_string(code))))
            }
        }
        for (number, code) in noted.acknowledgements where unacknowledged.remove(number) != nil {
            events.append(.acknowledged(MQTTFrameID(rawValue: number), MQTTAcknowledgement(code: code)))
        }
        events += noted.messages.map { .message($0) }
        (noted.subscriptions, noted.unsubscriptions) = ([], [])
        (noted.acknowledgements, noted.messages) = ([], [])
    }

    // MARK: - Failing

    private mutating func fail(_ failure: MQTTFailure, at now: MonotonicInstant, _ events: inout [MQTTEvent]) {
        // What had come before the end has come.
        if isStanding { collect(&events) }
        let goodbye = handle?.events.goodbye ?? 0
        let isFallBack = isFallBack(after: failure)
        drop()
        version = isFallBack ? .three : .five
        phase = .resting(until: isFallBack ? now : now.advanced(by: backOff.pause(random)))
        events.append(.disconnected(goodbye >= 0x80 ? .lost(String(cString: mosquitto_reason_string(goodbye))) : failure))
    }

    /// Whether a broker that does not speak MQTT 5 may have said so: some close the connection without a word.
    private mutating func isFallBack(after failure: MQTTFailure) -> Bool {
        guard case .opening = phase, version == .five else { return false }
        switch failure {
        case .lost: return true
        case .refused: return handle?.events.answer.map { [1, 0x84].contains($0.code) } ?? false
        case .unreachable, .notTrusted, .stuck, .stopped: return false
        }
    }

    /// Ends it: in order, with a goodbye; or without a word, so that the broker says the last will.
    mutating func stop(withoutGoodbye isSudden: Bool) {
        if isStanding, !isSudden { handle?.sayGoodbye() }
        drop()
    }

    private mutating func wait(at now: MonotonicInstant) -> Wait {
        switch phase {
        case .resting(let until): return .pause(until: until)
        case .opening(let until): return socketWait(until: min(until, now.advanced(by: Self.heartbeat)))
        case .standing:
            return socketWait(until: min(late.next ?? now.advanced(by: Self.heartbeat), now.advanced(by: Self.heartbeat)))
        }
    }

    private mutating func socketWait(until: MonotonicInstant) -> Wait {
        guard let socket = handle?.socket, socket >= 0 else { return .pause(until: until) }
        return .socket(socket, toWrite: handle?.hasUnsentBytes ?? false, until: until)
    }
}

extension MQTTAcknowledgement {
    fileprivate init(code: Int32) {
        switch code {
        case 0: self = .taken
        case 0x10: self = .nobodySubscribed
        default: self = .refused(String(cString: mosquitto_reason_string(code)))
        }
    }
}
