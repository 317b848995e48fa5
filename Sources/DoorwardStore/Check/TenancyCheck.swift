internal import DoorwardDomain
internal import DoorwardPolicy
import FoundationEssentials
import GRDB

/// Reads the whole tenancy as a gateway does that starts: one row that cannot be read would keep it from starting.
struct TenancyCheck {
    let db: Database
    /// That of the file, which may have fewer columns than this program writes.
    let schema: Int

    func run() throws {
        for table in TenancyTable.allCases {
            var after: Data?
            repeat {
                do {
                    let page = try TenancyReading.page(of: table, after: after, schema: schema, in: db)
                    for case .putAssociation(let association) in page.changes {
                        guard try association.entity.exists(in: db) else { throw StoreFault(.reference(table.rawValue)) }
                    }
                    after = page.next
                } catch let error as UnreadableColumn {
                    throw StoreFault(.unreadable("\(table.rawValue).\(error.column)"))
                }
            } while after != nil
        }
    }
}

extension AssociatedEntity {
    /// Whether the table of its kind has it: a column that refers to one of three tables is held by no constraint.
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
