/// The bridge of `ZWaveLock`: Z-Wave JS UI.
struct ZWaveBridge: Bridge {
    private let numbers: [Substring: Int]
    private let nodes: [Int: Int]
    static let status = "\(ZWaveLock.prefix)/_CLIENTS/ZWAVE_GATEWAY-\(ZWaveLock.gateway)/status"
    static let driverStatus = "\(ZWaveLock.prefix)/driver/status"

    init(_ locks: [JSON]) {
        numbers = Dictionary(uniqueKeysWithValues: locks.enumerated().map { (Substring($1["node"]?.text ?? ""), $0) })
        nodes = Dictionary(uniqueKeysWithValues: locks.enumerated().map { ($1["nodeId"]?.whole ?? 0, $0) })
    }

    var filters: [String] {
        [
            "\(ZWaveLock.prefix)/+/98/0/+/set", "\(ZWaveLock.prefix)/+/99/0/+/+/set", "\(ZWaveLock.api)/set",
        ]
    }

    var will: OutgoingMessage? { OutgoingMessage(Self.status, #"{"value":false}"#, qos: 1, isRetained: true) }

    func birthMessages(wallMilliseconds: Int64) -> [OutgoingMessage] {
        [
            OutgoingMessage(Self.status, ZWaveLock.timed(true, wallMilliseconds), qos: 1, isRetained: true),
            OutgoingMessage(Self.driverStatus, "true", qos: 1, isRetained: true),
        ]
    }

    func recipients(of message: IncomingMessage) -> Recipients {
        if message.topic == "\(ZWaveLock.api)/set" {
            // A call for an unknown node only appears in the bridge's own log.
            let node = JSON(message.payload)?["args"]?.list?.first?["nodeId"]?.whole
            return node.flatMap { nodes[$0] }.map { .lock($0) } ?? .noLock
        }
        let levels = message.topic.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard levels.count == 3, let number = numbers[levels[1]] else { return .noLock }
        return .lock(number)
    }
}
