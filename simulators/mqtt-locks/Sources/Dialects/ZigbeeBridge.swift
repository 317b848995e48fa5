/// The bridge of `ZigbeeLock`: Zigbee2MQTT. The real bridge subscribes to all topics below its base. This one subscribes only to
/// the topics that it processes, so that ten thousand locks do not receive each other's messages.
struct ZigbeeBridge: Bridge {
    private let names: [String]
    private let numbers: [Substring: Int]
    private let publishesDiscovery: Bool
    private let base = ZigbeeLock.base

    init(_ locks: [JSON], publishesDiscovery: Bool) {
        names = locks.compactMap { $0["name"]?.text }
        numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { (Substring($1), $0) })
        self.publishesDiscovery = publishesDiscovery
    }

    var filters: [String] { ["set", "get", "set/+", "get/+"].map { "\(base)/+/\($0)" } }

    var will: OutgoingMessage? { OutgoingMessage("\(base)/bridge/state", #"{"state":"offline"}"#, qos: 1, isRetained: true) }

    func birthMessages(wallMilliseconds: Int64) -> [OutgoingMessage] {
        let state = OutgoingMessage("\(base)/bridge/state", #"{"state":"online"}"#, qos: 1, isRetained: true)
        guard publishesDiscovery else { return [state] }
        let coordinator: JSON = [
            "ieee_address": "0x00124b0000000000", "type": "Coordinator", "friendly_name": "Coordinator", "supported": true,
            "definition": nil,
        ]
        let devices = JSON.list([coordinator] + names.enumerated().map { device(number: $0, name: $1) })
        return [state, OutgoingMessage("\(base)/bridge/devices", devices.description, isRetained: true)]
    }

    func recipients(of message: IncomingMessage) -> Recipients {
        let levels = message.topic.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard levels.count == 3, levels[0] == base, let number = numbers[levels[1]] else { return .noLock }
        return .lock(number)
    }

    private func device(number: Int, name: String) -> JSON {
        let address = String(0x000d_6f00_0000_0001 + number, radix: 16)
        return [
            "ieee_address": "0x\(String(repeating: "0", count: 16 - address.count))\(address)", "type": "EndDevice",
            "network_address": .whole(1000 + number), "supported": true, "friendly_name": .text(name), "disabled": false,
            "manufacturer": "Yale", "model_id": "YRD226/246 TSDB", "power_source": "Battery",
            "interview_completed": true, "interviewing": false,
            "definition": [
                "model": "YRD226HA2619", "vendor": "Yale", "description": "Assure lock", "supports_ota": true, "options": [],
                "exposes": Self.exposes,
            ],
        ]
    }

    private static let exposes: JSON = [
        [
            "type": "lock",
            "features": [
                [
                    "type": "binary", "name": "state", "property": "state", "label": "State", "access": 7, "value_on": "LOCK",
                    "value_off": "UNLOCK", "description": "State of the lock",
                ],
                [
                    "type": "enum", "name": "lock_state", "property": "lock_state", "label": "Lock state", "access": 1,
                    "values": ["not_fully_locked", "locked", "unlocked"], "description": "Actual state of the lock",
                ],
            ],
        ],
        [
            "type": "numeric", "name": "battery", "property": "battery", "label": "Battery", "access": 5, "unit": "%",
            "value_min": 0, "value_max": 100,
        ],
        [
            "type": "composite", "name": "pin_code", "property": "pin_code", "label": "Pin code", "access": 7,
            "features": [
                ["type": "numeric", "name": "user", "property": "user", "label": "User", "access": 2],
                ["type": "text", "name": "pin_code", "property": "pin_code", "label": "Pin code", "access": 3],
            ],
        ],
        [
            "type": "enum", "name": "action", "property": "action", "label": "Action", "access": 1,
            "values": [
                "lock", "unlock", "manual_lock", "manual_unlock", "keypad_lock", "keypad_unlock", "auto_lock",
                "unlock_failure_invalid_pin_or_id", "pin_code_added", "pin_code_deleted", "pin_code_changed",
            ],
        ],
        [
            "type": "enum", "name": "door_state", "property": "door_state", "label": "Door state", "access": 1,
            "values": ["open", "closed", "error_jammed", "error_forced_open", "error_unspecified", "undefined"],
        ],
    ]
}
