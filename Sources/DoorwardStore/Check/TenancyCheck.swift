internal import DoorwardDomain
internal import DoorwardPolicy
import FoundationEssentials
import GRDB

/// Reads the whole tenancy as a gateway does when it starts. A single unreadable row would prevent the start.
struct TenancyCheck {
    let db: Database
    /// `nil` if there is no person-key file.
    let keys: PersonKeyFile?

    func run() throws {
        for table in TenancyTable.allCases {
            var after: Data?
            repeat {
                do {
                    let page = try TenancyReading.page(of: table, after: after, in: db, keys)
                    for entity in page.changes.compactMap(\.referencedEntity) {
                        guard try entity.exists(in: db) else { throw StoreFault(.reference(table.rawValue)) }
                    }
                    after = page.next
                } catch let error as UnreadableColumn {
                    throw StoreFault(.unreadable("\(table.rawValue).\(error.place)"))
                }
            } while after != nil
        }
    }
}

extension TenancyChange {
    /// The entity that an association, API key or invitation refers to by type and id.
    var referencedEntity: AssociatedEntity? {
        switch self {
        case .putAssociation(let association): association.entity
        case .putAPIKey(let key): key.entity
        case .putInvitation(let invitation): invitation.entity
        default: nil
        }
    }
}

extension AssociatedEntity {
    /// Returns whether the entity's row exists. The id references one of three tables, so no foreign key can enforce this.
    func exists(in db: Database) throws -> Bool {
        let table: TenancyTable =
            switch type {
            case .portfolio: .portfolios
            case .property: .properties
            case .unit: .units
            }
        return try db.firstRow("SELECT 1 FROM \(table.rawValue) WHERE id = ?", [id.blob]) { _ in true } ?? false
    }
}
