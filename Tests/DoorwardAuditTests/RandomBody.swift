import DoorwardDomain
import DoorwardTesting

/// Generates random records of all shapes from a seed.
struct RandomBody {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func body() -> RecordBody {
        let log = chance(3) ? LogID.gateway : .portfolio(id())
        var body = RecordBody(
            log: log, id: id(), at: Timestamp(milliseconds: Int64.random(in: -100_000...4_000_000_000_000, using: &random)),
            kind: one(), actor: actor(), source: one(), operation: perhaps { $0.one() }, decision: perhaps { $0.one() },
            reason: perhaps { $0.one() }, rule: perhaps { $0.rule() }, clientAddress: perhaps { $0.text() },
            requestID: perhaps { $0.text() }, device: perhaps { $0.device() }, commandID: perhaps { $0.id() },
            outcome: perhaps { $0.one() }, outcomeDetail: perhaps { $0.text() }, stateBefore: perhaps { $0.one() },
            stateAfter: perhaps { $0.one() }, latencyMs: perhaps { Int64.random(in: .min ... .max, using: &$0.random) },
            statedReason: perhaps { $0.text() }, override: perhaps { $0.text() }, event: perhaps { $0.one() },
            method: perhaps { $0.one() }, action: perhaps { $0.one() },
            target: perhaps { RecordTarget(type: $0.text(), id: $0.text()) }, details: members(depth: 1))
        // The snapshot of a device already contains its place.
        if body.device == nil { body.path = perhaps { $0.path() } }
        return body
    }

    mutating func id<Entity>(_: Entity.Type = Entity.self) -> EntityID<Entity> {
        .new(at: Samples.at, using: &random)
    }

    /// Returns a text with difficult characters: control characters, quotation marks, characters
    /// with a meaning in the record format, and characters outside the Basic Multilingual Plane.
    mutating func text() -> String {
        let alphabet: [Unicode.Scalar] = [
            "a", "Z", "$", ".", "[", "]", "\\", "\"", "/", "\0", "\u{1}", "\u{8}", "\t", "\n", "\u{C}", "\r", "\u{1F}", "\u{7F}",
            "é", "\u{301}", "\u{2028}", "\u{E000}", "\u{FFFF}", "\u{1F511}", "\u{10FFFF}",
        ]
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...8, using: &random) { scalars.append(alphabet.randomElement(using: &random) ?? "a") }
        return String(scalars)
    }

    private mutating func actor() -> RecordActor {
        RecordActor(kind: one(), id: perhaps { $0.text() }, name: perhaps { $0.text() }, userID: perhaps { $0.id() })
    }

    private mutating func rule() -> Rule {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: .association(id(), one())
        case 1: .guestAccess(id())
        default: .superAdmin
        }
    }

    /// Returns a place with at least one id, because an empty place is read back as `nil`.
    private mutating func path() -> EntityPathIDs {
        EntityPathIDs(unitID: perhaps { $0.id() }, propertyID: perhaps { $0.id() }, portfolioID: id())
    }

    private mutating func device() -> DeviceSnapshot {
        DeviceSnapshot(
            deviceID: id(), deviceName: perhaps { $0.text() }, unitID: perhaps { $0.id() }, propertyID: perhaps { $0.id() },
            portfolioID: perhaps { $0.id() })
    }

    private mutating func members(depth: Int) -> [String: RecordValue] {
        var members: [String: RecordValue] = [:]
        for _ in 0..<Int.random(in: 0...4, using: &random) { members[text()] = value(depth: depth) }
        return members
    }

    private mutating func value(depth: Int) -> RecordValue {
        switch Int.random(in: 0..<(depth < 5 ? 8 : 6), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .integer(Int64.random(in: -9_007_199_254_740_991...9_007_199_254_740_991, using: &random))
        case 3: return .integer(Int64.random(in: -10...10, using: &random))
        case 4: return .string(text())
        case 5: return .personal(text(), person: perhaps { $0.id() })
        case 6: return .object(members(depth: depth + 1))
        default:
            var elements: [RecordValue] = []
            for _ in 0..<Int.random(in: 0...3, using: &random) { elements.append(value(depth: depth + 1)) }
            return .array(elements)
        }
    }

    private mutating func one<Value: CaseIterable & RawRepresentable<String>>() -> Value {
        let all = Array(Value.allCases)
        return all[Int.random(in: 0..<all.count, using: &random)]
    }

    private mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    private mutating func perhaps<Value>(_ make: (inout Self) -> Value) -> Value? { chance(2) ? nil : make(&self) }
}
