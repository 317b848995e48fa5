import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardPolicy

/// The schemas of the field tables, compared with the values of random entities at every level.
@Suite struct FieldSchemaTests {
    @Test("At every level, every value of a random entity has the form that the schema of its table gives", arguments: 1...40)
    func values(seed: UInt64) {
        var world = RandomEntities(seed: seed)
        for level in FieldLevel.allCases {
            check(world.portfolio(), Portfolio.fields, level)
            check(world.property(), Property.fields, level)
            check(world.unit(), Unit.fields, level)
            check(ShownDevice(world.device(), status: world.maybe(world.status())), ShownDevice.fields, level)
            check(ShownUser(world.user(), associations: [world.association()]), ShownUser.fields, level)
            check(world.association(), UserRoleAssociation.fields, level)
            check(world.guestAccess(), GuestAccess.fields, level)
            check(world.key(), APIKey.fields, level)
            check(ShownInvitation(world.invitation()), ShownInvitation.fields, level)
            guard level >= .resident else { continue }
            check(ShownCommand(world.command(), unit: world.maybe(world.id())), ShownCommand.fields, level)
            check(world.record(), AccessRecord.fields, level)
        }
    }

    private func check<Entity>(_ entity: Entity, _ fields: [Field<Entity>], _ level: FieldLevel) {
        let directory = TenancyDirectory()
        let reader = FieldReader(
            directory.subject(of: .user(UserID(high: 9, low: 9))), level: level, at: .trusted(Timestamp(milliseconds: 5)))
        let value = fields.object(entity, for: reader, in: directory)
        #expect(problems(of: value, fields.schema()) == [], "\(Entity.self) at \(level)")
    }

    @Test(
        "A field that the lowest level sees is required, one that can be left out is not, and a stored one is not in the schema")
    func required() {
        func members<Entity>(_ fields: [Field<Entity>]) -> [String: Bool] {
            guard case .object(let members) = fields.schema() else { return [:] }
            return Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.isRequired) })
        }
        #expect(members(Portfolio.fields)["name"] == true)
        #expect(members(Portfolio.fields)["propertyIds"] == false)
        #expect(members(Portfolio.fields)["tier"] == nil)
        #expect(members(ShownDevice.fields)["state"] == false)
        #expect(members(ShownDevice.fields)["capabilities"] == true)
        #expect(members(AccessRecord.fields)["at"] == true)
        #expect(members(AccessRecord.fields)["actor"] == false)
        #expect(members(AccessRecord.fields)["actorId"] == false)
        #expect(members(APIKey.fields)["digest"] == nil)
        // A resident sees part of the field.
        #expect(members(Property.fields)["lockdown"] == true)
    }

    @Test(
        "The types of values give their schemas",
        arguments: [
            (String.schema, JSONSchema.text), (Bool?.schema, .nullable(.boolean)), ([Int64].schema, .array(.integer())),
            (UserID.schema, .id), (Timestamp?.schema, .nullable(.instant)), ([String: JSONValue].schema, .map(.any)),
            (LockState.schema, .words(LockState.allCases.map(\.rawValue))), ([Role].schema, .array(Role.schema)),
        ])
    func types(schema: JSONSchema, expected: JSONSchema) { #expect(schema == expected) }

    @Test("The comparison of these tests finds a missing, an additional and a wrong value")
    func comparison() {
        let schema = JSONSchema.object([JSONSchema.Member("a", .boolean), JSONSchema.Member("b", .id, isRequired: false)])
        let id = UserID(high: 1, low: 1).fieldValue
        #expect(problems(of: .object([FieldValue.Member("a", .bool(true)), FieldValue.Member("b", id)]), schema) == [])
        #expect(problems(of: .object([FieldValue.Member("b", id)]), schema) == ["a is missing"])
        #expect(
            problems(of: .object([FieldValue.Member("a", .bool(true)), FieldValue.Member("c", id)]), schema) == ["c is unknown"])
        #expect(problems(of: .object([FieldValue.Member("a", .null)]), schema) == ["a: null is not boolean"])
        #expect(problems(of: .string("X"), LockState.schema).count == 1)
        #expect(problems(of: .list([.integer(1), .null]), [Int].schema).count == 1)
    }

    // MARK: - Comparison

    /// How a value differs from a schema.
    private func problems(of value: FieldValue, _ schema: JSONSchema) -> [String] {
        switch (value, schema) {
        case (_, .any), (.null, .null), (.null, .nullable), (.bool, .boolean), (.identifier, .id), (.instant, .instant): []
        case (.free, .map), (.details, .map), (.integer, .integer(nil)): []
        // The schemas of nested entities are those of their own tables.
        case (.object, .reference): []
        case (_, .nullable(let inner)): problems(of: value, inner)
        case (_, .oneOf(let forms)): forms.contains { problems(of: value, $0).isEmpty } ? [] : ["\(value) has no form"]
        case (.string(let text), .words(let words)): words.contains(text) ? [] : ["\(text) is no word of \(words)"]
        case (.string, .string(let rules)): rules.format == nil ? [] : ["a text is not \(schema)"]
        case (.strings(let texts), .array(let element, _)): texts.flatMap { problems(of: .string($0), element) }
        case (.list(let values), .array(let element, _)): values.flatMap { problems(of: $0, element) }
        case (.object(let members), .object(let expected)): problems(of: members, expected)
        default: ["\(value) is not \(schema)"]
        }
    }

    private func problems(of members: [FieldValue.Member], _ expected: [JSONSchema.Member]) -> [String] {
        let present = members.filter { $0.value != .absent }
        let missing = expected.filter { member in member.isRequired && !present.contains { $0.name == member.name } }
        return missing.map { "\($0.name) is missing" }
            + present.flatMap { member -> [String] in
                guard let schema = expected.first(where: { $0.name == member.name })?.schema else {
                    return ["\(member.name) is unknown"]
                }
                return problems(of: member.value, schema).map { "\(member.name): \($0)" }
            }
    }
}

/// Entities with random values; an optional value is `nil` in half of them.
private struct RandomEntities {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
    mutating func id<Entity>() -> EntityID<Entity> { EntityID(high: random.next(), low: random.next()) }
    private mutating func ids<Entity>() -> [EntityID<Entity>] { (0..<Int.random(in: 0...3, using: &random)).map { _ in id() } }
    private mutating func text() -> String { "text \(random.next() % 100)" }
    private mutating func flag() -> Bool { Bool.random(using: &random) }
    private mutating func time() -> Timestamp { Timestamp(milliseconds: Int64(random.next() % 1_000_000)) }

    private mutating func one<Value: CaseIterable>(of: Value.Type = Value.self) -> Value {
        // No enumeration of these tests is empty.
        Array(Value.allCases)[Int(random.next() % UInt64(Value.allCases.count))]
    }

    private mutating func entity() -> AssociatedEntity { AssociatedEntity(type: one(), id: id()) }

    mutating func portfolio() -> Portfolio { Portfolio(id: id(), name: text(), createdAt: time(), updatedAt: time()) }

    mutating func property() -> Property {
        let address = PostalAddress(street: maybe(text()), city: maybe(text()), country: maybe(text()))
        let lockdown = Lockdown(since: time(), byUserID: maybe(id()), reason: maybe(text()))
        return Property(
            id: id(), name: text(), portfolioID: id(), address: maybe(address), defaultTimeZone: maybe(text()),
            lockdown: maybe(lockdown), createdAt: time(), updatedAt: time())
    }

    mutating func unit() -> Unit {
        Unit(
            id: id(), name: text(), propertyID: id(), portfolioID: id(), commonAreaAccessIDs: ids(), createdAt: time(),
            updatedAt: time())
    }

    mutating func device() -> LockDevice {
        LockDevice(
            id: id(), name: text(), adapter: text(), address: ["a": .integer(1)], portfolioID: maybe(id()),
            propertyID: maybe(id()), unitID: maybe(id()), isRemoteOperationEnabled: flag(), capabilities: .all,
            metadata: ["m": .null], createdAt: time(), updatedAt: time())
    }

    mutating func status() -> DeviceStatus {
        var status = DeviceStatus()
        (status.state, status.stateQuality, status.stateAt, status.doorState) = (one(), one(), maybe(time()), one())
        (status.batteryLevel, status.batteryLow, status.isOnline) = (maybe(55), maybe(flag()), maybe(flag()))
        (status.lastSeen, status.faults) = (maybe(time()), [text()])
        return status
    }

    mutating func user() -> User {
        User(
            id: id(), email: text(), firstName: text(), lastName: text(), isEnabled: flag(), isSuperAdmin: flag(),
            defaultPortfolioID: maybe(id()), defaultPropertyID: maybe(id()), defaultUnitID: maybe(id()),
            hasCompliancePack: flag(), createdAt: time(), updatedAt: time())
    }

    mutating func association() -> UserRoleAssociation {
        UserRoleAssociation(id: id(), userID: id(), entity: entity(), role: one(), createdAt: time(), updatedAt: time())
    }

    mutating func guestAccess() -> GuestAccess {
        GuestAccess(
            id: id(), guestUserID: maybe(id()), label: maybe(text()), propertyID: id(), unitID: maybe(id()), deviceIDs: ids(),
            operations: [one()], window: GuestWindow(validFrom: time(), validUntil: time()), grantedByUserID: id(),
            grantedUnderAssociationID: id(), grantedUnderRole: one(), revokedAt: maybe(time()), createdAt: time())
    }

    mutating func key() -> APIKey {
        APIKey(
            id: id(), name: text(), userID: id(), parentID: maybe(id()), entity: entity(), role: one(), digest: [1],
            createdAt: time(), expiresAt: time())
    }

    mutating func invitation() -> Invitation {
        let offer: Invitation.Offer = flag() ? .role(one(), on: entity()) : .account(id())
        return Invitation(
            id: id(), email: text(), offer: offer, userID: id(), keyID: maybe(id()), digest: [1], createdAt: time(),
            expiresAt: time())
    }

    private mutating func rule() -> Rule { flag() ? .association(id(), one()) : .guestAccess(id()) }

    private mutating func actor() -> RecordActor {
        RecordActor(kind: one(), id: maybe(text()), name: maybe(text()), userID: maybe(id()))
    }

    mutating func command() -> Command {
        Command(
            id: id(), deviceID: id(), operation: one(), state: one(), actor: actor(), source: one(), reason: maybe(text()),
            override: maybe(text()), rule: rule(), sent: maybe(flag()), changed: maybe(flag()), outcomeDetail: maybe(text()),
            stateBefore: maybe(one()), stateAfter: maybe(one()), requestedAt: time(), deadline: time(),
            dispatchedAt: maybe(time()), completedAt: maybe(time()))
    }

    mutating func record() -> AccessRecord {
        let device = DeviceSnapshot(
            deviceID: id(), deviceName: maybe(text()), unitID: maybe(id()), propertyID: maybe(id()), portfolioID: maybe(id()))
        let body = RecordBody(
            log: flag() ? .gateway : .portfolio(id()), id: id(), at: time(), kind: one(), actor: actor(), source: one(),
            operation: maybe(one()), decision: maybe(one()), reason: maybe(one()), rule: maybe(rule()),
            clientAddress: maybe(text()), requestID: maybe(text()), device: maybe(device), commandID: maybe(id()),
            outcome: maybe(one()), outcomeDetail: maybe(text()), stateBefore: maybe(one()), stateAfter: maybe(one()),
            latencyMs: maybe(12), statedReason: maybe(text()), override: maybe(text()), event: maybe(one()), method: maybe(one()),
            action: maybe(one()), target: maybe(RecordTarget(type: text(), id: text())), details: ["d": .null])
        return AccessRecord(seq: random.next() % 100, body: body)
    }
}
