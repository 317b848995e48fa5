import DoorwardDomain
import DoorwardPolicy
import GRDB
import Testing

@testable import DoorwardStore

/// The tables of the tenancy have exactly the columns of the entities' described fields.
@Suite struct FieldColumnTests {
    private static func columns<Entity>(_ fields: [Field<Entity>]) -> [String] { fields.flatMap(\.columns).sorted() }

    @Test("Every stored field has its columns, and every column belongs to a field", arguments: TenancyTable.allCases)
    func columns(table: TenancyTable) throws {
        let queue = try DatabaseQueue()
        try Schema.current.migrate(queue)
        let stored = try queue.read { try $0.columns(in: table.rawValue).map(\.name) }
        let fields =
            switch table {
            case .portfolios: Self.columns(Portfolio.fields)
            case .properties: Self.columns(Property.fields)
            case .units: Self.columns(Unit.fields)
            case .devices: Self.columns(ShownDevice.fields)
            case .users:
                // The three personal fields are encrypted together.
                Set(Self.columns(ShownUser.fields)).subtracting(["email", "first_name", "last_name"]).union(["sealed"]).sorted()
            case .associations: Self.columns(UserRoleAssociation.fields)
            case .guestAccesses: Self.columns(GuestAccess.fields)
            case .removedUsers: ["id"]
            case .guestLinks: ["created_at", "digest", "id", "key_id", "user_id"]
            case .apiKeys: Self.columns(APIKey.fields)
            case .invitations: Self.columns(ShownInvitation.fields)
            }
        #expect(fields == stored.sorted())
    }
}
