internal import DoorwardAdapterKit
internal import DoorwardDomain

/// One line that the controller sends.
enum SerialLine: Hashable {
    case ok(lock: Int, sequence: UInt32, LockState)
    case error(lock: Int, sequence: UInt32, LockRefusal)
    case state(lock: Int, LockState)
    case turned(lock: Int, LockState)
    case reach(lock: Int, isAway: Bool)
    case battery(lock: Int, percent: Int)
    case tamper(lock: Int, isOn: Bool)

    /// Returns `nil` if the text is not a line of the protocol.
    init?(_ text: some StringProtocol) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 2, words.count <= 4, let lock = Int(words[1]), (1...247).contains(lock) else { return nil }
        switch (words[0], words.count) {
        case ("OK", 4):
            guard let sequence = UInt32(words[2]), let state = LockState(rawValue: String(words[3])) else { return nil }
            self = .ok(lock: lock, sequence: sequence, state)
        case ("ERR", 4):
            guard let sequence = UInt32(words[2]), let cause = Self.causes[String(words[3])] else { return nil }
            self = .error(lock: lock, sequence: sequence, cause)
        case ("STATE", 3), ("TURNED", 3):
            guard let state = LockState(rawValue: String(words[2])) else { return nil }
            self = words[0] == "STATE" ? .state(lock: lock, state) : .turned(lock: lock, state)
        case ("AWAY", 2), ("BACK", 2): self = .reach(lock: lock, isAway: words[0] == "AWAY")
        case ("BATTERY", 3):
            guard let percent = Int(words[2]), (0...100).contains(percent) else { return nil }
            self = .battery(lock: lock, percent: percent)
        case ("TAMPER", 3) where words[2] == "ON" || words[2] == "OFF": self = .tamper(lock: lock, isOn: words[2] == "ON")
        default: return nil
        }
    }

    private static let causes: [String: LockRefusal] = ["BUSY": .busy, "POWER": .lowPower, "UNKNOWN": .unsupported]

    /// The number of the lock that the line is about.
    var lock: Int {
        switch self {
        case .ok(let lock, _, _), .error(let lock, _, _), .state(let lock, _), .turned(let lock, _), .reach(let lock, _),
            .battery(let lock, _), .tamper(let lock, _):
            lock
        }
    }
}

/// Splits bytes that arrive in pieces into lines.
struct LineReader {
    /// The maximum length of a line in the protocol, in bytes.
    static let maxLength = 64

    private var line: [UInt8] = []
    /// Whether the present line is too long; the rest of it is skipped.
    private var isSkipping = false

    /// - Returns: the lines that these bytes complete; `nil` for a line that is too long or not ASCII.
    mutating func take(_ bytes: [UInt8]) -> [String?] {
        var lines: [String?] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                if line.count < Self.maxLength { line.append(byte) } else { isSkipping = true }
                continue
            }
            // The protocol allows only ASCII, for which comparing and sorting strings is the same as comparing bytes.
            let isText = !isSkipping && line.allSatisfy { (0x20..<0x7F).contains($0) }
            lines.append(isText ? String(decoding: line, as: UTF8.self) : nil)
            (line, isSkipping) = ([], false)
        }
        return lines
    }
}
