internal import DoorwardDomain
internal import DoorwardPolicy

// Portfolios, properties and units. Their lists of ids are derived from parents and associations.
extension View {
    func portfolio(_ portfolio: Portfolio, into writer: inout JSONWriter) {
        let id = portfolio.id
        writer.projected(.portfolio, at: level(for: .portfolio(id))) { writer in
            writer.field("id", id)
            writer.field("name", portfolio.name)
            writer.field("administratorUserIds", holders(of: [.owner, .portfolioAdmin], on: .portfolio(id)))
            writer.field("propertyIds", tenancy.propertyIDs(of: id))
            writer.field("createdAt", portfolio.createdAt)
            writer.field("updatedAt", portfolio.updatedAt)
        }
    }

    func property(_ property: Property, into writer: inout JSONWriter) {
        let id = property.id
        writer.projected(.property, at: level(for: .property(id))) { writer in
            writer.field("id", id)
            writer.field("name", property.name)
            writer.field("portfolioId", property.portfolioID)
            writer.field("address", property.address)
            writer.field("managerUserIds", holders(of: [.propertyManager], on: .property(id)))
            writer.field("unitIds", tenancy.unitIDs(of: id))
            writer.field("defaultTimeZone", property.defaultTimeZone)
            lockdown(into: &writer)
            writer.field("createdAt", property.createdAt)
            writer.field("updatedAt", property.updatedAt)
        }
    }

    /// Whoever sees no more than `lockdown.active` gets a `lockdown` with that one field.
    private func lockdown(into writer: inout JSONWriter) {
        let isWhole = writer.isSeen("lockdown")
        guard isWhole || writer.isSeen("lockdown.active") else { return }
        writer.unprojectedField("lockdown") { writer in
            writer.object { writer in
                writer.field("active", false)
                guard isWhole else { return }
                writer.field("since", Timestamp?.none)
                writer.field("byUserId", UserID?.none)
                writer.field("reason", String?.none)
            }
        }
    }

    func unit(_ unit: Unit, into writer: inout JSONWriter) {
        writer.projected(.unit, at: level(for: .unit(unit.id))) { writer in
            writer.field("id", unit.id)
            writer.field("name", unit.name)
            writer.field("propertyId", unit.propertyID)
            writer.field("portfolioId", unit.portfolioID)
            writer.field("tenantUserIds", holders(of: [.tenant], on: .unit(unit.id)))
            writer.field("deviceIds", tenancy.deviceIDs(of: unit.id))
            writer.field("commonAreaAccessIds", unit.commonAreaAccessIDs)
            writer.field("createdAt", unit.createdAt)
            writer.field("updatedAt", unit.updatedAt)
        }
    }

    private func holders(of roles: Set<Role>, on entity: AssociatedEntity) -> [UserID] {
        Set(tenancy.associations(on: entity).filter { roles.contains($0.role) }.map(\.userID)).sorted()
    }
}

extension PostalAddress: JSONRenderable {
    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("street", street)
            writer.field("city", city)
            writer.field("state", state)
            writer.field("postalCode", postalCode)
            writer.field("country", country)
        }
    }
}
