import FoundationEssentials
import Testing

@testable import DoorwardClient

/// A vector of `Fixtures/casl-vectors.json`, which the real @casl/ability has answered.
private struct World: Decodable {
    struct Question: Decodable {
        let a: String
        let s: String
        let o: [String: Doorward.JSONValue]?
        let f: String?
        let r: Bool
        let i: Int?
    }

    let rules: [Doorward.AbilityRule]
    let packed: [[Doorward.JSONValue]]
    let questions: [Question]
}

@Suite struct AbilityTests {
    private static let worlds: [World] = {
        let path = #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Fixtures/casl-vectors.json"
        let data = FileManager.default.contents(atPath: "/" + path) ?? Data()
        return (try? JSONDecoder().decode([World].self, from: data)) ?? []
    }()

    private func answer(_ ability: Doorward.Ability, _ question: World.Question) -> Int? {
        let reference = Doorward.SubjectReference(.init(rawValue: question.s), question.o ?? [:])
        return ability.decidingNumber(
            .init(rawValue: question.a), .init(rawValue: question.s), reference.subjectValue, field: question.f,
            hasObject: question.o != nil)
    }

    /// The same rule decides as in the real @casl/ability, or none.
    @Test func decidesAsTheRealCASL() {
        #expect(Self.worlds.count == 220)
        var permitted = 0
        for (number, world) in Self.worlds.enumerated() {
            let ability = Doorward.Ability(world.rules)
            for question in world.questions {
                let decided = answer(ability, question)
                #expect(decided == question.i, "world \(number): \(question)")
                #expect((decided.map { !world.rules[$0].inverted } ?? false) == question.r, "world \(number): \(question)")
                permitted += question.r ? 1 : 0
            }
        }
        #expect(permitted > 300, "the vectors permit something")
    }

    /// Packed rules give the same answers, and packing gives what the real `packRules` does.
    @Test func unpacksAndPacksAsTheRealCASL() throws {
        for world in Self.worlds {
            let unpacked = try world.packed.map { try #require(Doorward.AbilityRule(packed: $0)) }
            #expect(unpacked == world.rules)
            #expect(unpacked.map(\.packed) == world.packed)
        }
    }

    @Test(arguments: [
        "[]", #"["read"]"#, #"["read",5]"#, #"["read","X",{},0,0,"r",1]"#, #"["read","X",5]"#, #"["read","X","c"]"#,
        #"["read","X",{},"yes"]"#, #"["read","X",{},0,["f"]]"#, #"["read","X",{},0,0,7]"#,
    ])
    func refusesOtherPackedForms(_ text: String) throws {
        let packed = try JSONDecoder().decode([Doorward.JSONValue].self, from: Data(text.utf8))
        #expect(Doorward.AbilityRule(packed: packed) == nil)
    }

    /// A rule that this library cannot evaluate never permits and always forbids.
    @Test(arguments: [
        #"{"name":{"$regex":"^D"}}"#, #"{"batteryLevel":{"$gt":1}}"#, #"{"$and":[{"id":"d"}]}"#, #"{"id":{"$in":"d"}}"#,
        #"{"capabilities":["LOCK"]}"#, #"{"id":{"$eq":"d","$type":"string"}}"#, #"{"lockdown":{"active":true}}"#,
    ])
    func conditionsThatAreNotUnderstoodFailClosed(_ text: String) throws {
        let conditions = try JSONDecoder().decode([String: Doorward.JSONValue].self, from: Data(text.utf8))
        var device = Doorward.LockDevice(id: "d", name: "Door")
        (device.capabilities, device.batteryLevel) = (["LOCK"], 50)
        let permitting = Doorward.AbilityRule(action: ["UNLOCK"], subject: ["LockDevice"], conditions: conditions)
        #expect(!Doorward.Ability([permitting]).can(.unlock, device))
        var forbidding = permitting
        forbidding.inverted = true
        let all = Doorward.AbilityRule(action: ["UNLOCK"], subject: ["LockDevice"])
        #expect(!Doorward.Ability([all, forbidding]).can(.unlock, device))
        #expect(Doorward.Ability([all]).can(.unlock, device))
    }

    @Test func withoutRulesEverythingIsForbidden() {
        let device = Doorward.LockDevice(id: "d", name: "Door")
        for action in Doorward.Action.known {
            #expect(!Doorward.Ability.none.can(action, device))
            #expect(!Doorward.Ability.none.can(action, any: .device))
        }
    }

    @Test func anUnknownActionOrSubjectIsForbidden() {
        let ability = Doorward.Ability([Doorward.AbilityRule(action: ["UNLOCK"], subject: ["LockDevice"])])
        #expect(!ability.can("TELEPORT", Doorward.LockDevice(id: "d", name: "D")))
        #expect(!ability.can(.unlock, Doorward.SubjectReference(.init(rawValue: "Drawbridge"))))
        #expect(ability.can(.unlock, Doorward.LockDevice(id: "d", name: "D")))
    }

    @Test func updateAndDeleteStandForThePermissionOfTheType() {
        let rules = [
            Doorward.AbilityRule(action: ["property.change"], subject: ["Property"], conditions: ["portfolioId": .string("p")]),
            Doorward.AbilityRule(action: ["device.detach"], subject: ["LockDevice"], conditions: ["propertyId": .string("q")]),
        ]
        let ability = Doorward.Ability(rules)
        #expect(ability.can(.update, Doorward.SubjectReference.property("q", portfolio: "p")))
        #expect(!ability.can(.delete, Doorward.SubjectReference.property("q", portfolio: "p")))
        #expect(!ability.can(.update, Doorward.SubjectReference.property("q", portfolio: "other")))
        var device = Doorward.LockDevice(id: "d", name: "D")
        #expect(!ability.can(.delete, device))
        device.propertyId = "q"
        #expect(ability.can(.delete, device))
        #expect(!ability.can(.update, device))
    }

    /// The rules that a gateway writes: the right exists, and a lockdown forbids its use.
    @Test func aRightIsDistinguishedFromItsUse() {
        var device = Doorward.LockDevice(id: "d", name: "D")
        (device.propertyId, device.capabilities) = ("q", ["LOCK", "UNLOCK"])
        let ability = Doorward.Ability([
            Doorward.AbilityRule(action: ["UNLOCK"], subject: ["LockDevice"], conditions: ["propertyId": .string("q")]),
            Doorward.AbilityRule(
                action: ["UNLOCK"], subject: ["LockDevice"], conditions: ["propertyId": .object(["$in": .array([.string("q")])])],
                inverted: true, reason: .lockdownActive),
        ])
        #expect(!ability.can(.unlock, device))
        #expect(ability.hasRight(.unlock, device))
        #expect(ability.decidingRule(.unlock, device)?.reason == .lockdownActive)
        device.propertyId = "other"
        #expect(!ability.hasRight(.unlock, device))
    }

    /// Rules that differ in one text are one look-up. They decide like the rules one by one, of which the last that matches decides.
    @Test(arguments: 0..<40) func rulesForManyPlacesDecideLikeEachOfThem(_ seed: UInt64) {
        var random = Xorshift(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        let texts: [Doorward.JSONValue] = ["q1", "q2", "q3", "q4"].map { .string($0) }
        func conditions() -> [String: Doorward.JSONValue]? {
            let (first, second) = (texts[random.below(4)], texts[random.below(4)])
            return switch random.below(10) {
            case 0: nil
            case 1: ["places": .object(["$nin": .array([first])])]
            case 2: ["places": .object(["$in": .array([first])])]
            case 3: ["places": .object(["$in": .array([.null])])]
            case 4: ["unitId": first, "propertyId": second]
            case 5: ["": first]
            case 6: ["unitId": first]
            case 7: ["places": first]
            default: ["propertyId": first]
            }
        }
        let rules = (0..<12).map { _ in
            Doorward.AbilityRule(
                action: ["UNLOCK"], subject: ["LockDevice"], conditions: conditions(),
                fields: random.below(8) == 0 ? ["name"] : nil, inverted: random.below(3) == 0)
        }
        let (ability, each) = (Doorward.Ability(rules), rules.map { Doorward.Ability([$0]) })
        for _ in 0..<100 {
            var values: [String: Doorward.JSONValue] = [:]
            if random.below(4) > 0 { values["propertyId"] = texts[random.below(4)] }
            if random.below(4) > 0 { values["unitId"] = texts[random.below(4)] }
            if random.below(4) > 0 { values["places"] = .array((0..<random.below(4)).map { _ in texts[random.below(4)] }) }
            let object = Doorward.SubjectReference(.device, values)
            for (field, hasObject) in [(nil, true), ("name", true), ("other", true), (nil, false)] as [(String?, Bool)] {
                func number(_ ability: Doorward.Ability) -> Int? {
                    ability.decidingNumber(.unlock, .device, object.subjectValue, field: field, hasObject: hasObject)
                }
                #expect(number(ability) == each.lastIndex { number($0) != nil })
            }
            let hasRight = zip(rules, each).contains { !$0.inverted && $1.hasRight(.unlock, object) }
            #expect(ability.hasRight(.unlock, object) == hasRight)
        }
    }
}

/// A small generator, so that a seed always gives the same rules.
private struct Xorshift {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(bound))
    }
}
