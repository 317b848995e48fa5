package import DoorwardDomain

/// A management permission. Raw values are those of `GET /permission-matrix`.
package enum ManagementPermission: String, CaseIterable, Codable, Sendable {
    /// To create a portfolio. Checked on the gateway, because the portfolio does not exist yet.
    case portfolioCreate = "portfolio.create"
    /// To read a portfolio. A role on a property or unit does not give this permission, because its
    /// holder need not see the whole portfolio.
    case portfolioRead = "portfolio.read"
    /// To change a portfolio's name, its only field; changing its staff requires other permissions.
    case portfolioRename = "portfolio.rename"
    /// To delete a portfolio; with a cascade, also everything in it.
    case portfolioDelete = "portfolio.delete"
    /// To read the subscription of a portfolio: its tier, modules and limits, and how much of each
    /// limit is used; also to read its retention.
    case subscriptionRead = "subscription.read"
    /// To change the subscription of a portfolio: its tier, modules and limits.
    case subscriptionChange = "subscription.change"
    /// To change how long the access log of a portfolio is kept.
    case retentionChange = "retention.change"
    /// To assign and remove OWNER and PORTFOLIO_ADMIN.
    case portfolioAdminsAssign = "portfolio.admins.assign"
    /// To assign and remove AUDITOR on a portfolio.
    case portfolioAuditorsAssign = "portfolio.auditors.assign"
    /// To read a property. Tenants also hold this permission on the property of their unit,
    /// although roles otherwise apply only to their entity and everything below it.
    case propertyRead = "property.read"
    /// To change a property's name, address and time zone.
    case propertyChange = "property.change"
    /// To create a property. Checked on the portfolio that will contain the property.
    case propertyCreate = "property.create"
    /// To delete a property; with a cascade, also everything attached to it.
    case propertyDelete = "property.delete"
    /// To assign and remove PROPERTY_MANAGER.
    case propertyManagersAssign = "property.managers.assign"
    /// To assign and remove MAINTENANCE and AUDITOR on a property.
    case propertyStaffAssign = "property.staff.assign"
    /// To read a unit. A tenant holds this permission only on their own unit.
    case unitRead = "unit.read"
    /// To create a unit. Checked on the property that will contain the unit.
    case unitCreate = "unit.create"
    /// To change a unit's name, and the common areas that its tenants may use.
    case unitChange = "unit.change"
    /// To delete a unit; with a cascade, also everything attached to it.
    case unitDelete = "unit.delete"
    /// To assign and remove TENANT.
    case unitTenantsAssign = "unit.tenants.assign"
    /// To read a device. Every role with VIEW_STATUS holds this permission. A guest has no role;
    /// for a guest, VIEW_STATUS is enough to see a device.
    case deviceRead = "device.read"
    /// To attach a device. Checked on the property or unit to which the device will be attached.
    case deviceAttach = "device.attach"
    /// To change a device's name, address, metadata, and whether remote operation is enabled.
    case deviceChange = "device.change"
    /// To move a device. Checked on the device, and on the property or unit to which it is moved.
    case deviceMove = "device.move"
    /// To detach a device from its property, which leaves it unassigned, or to delete it.
    case deviceDetach = "device.detach"
    /// To start and lift a lockdown.
    case lockdown = "lockdown"
    /// To grant a guest access. The grantor must also hold GRANT_ACCESS, and each granted operation, on each device.
    case guestAccessGrant = "guestAccess.grant"
    /// To change the window, operations and devices of a guest access; each added device or operation also requires GRANT_ACCESS.
    case guestAccessChange = "guestAccess.change"
    /// To revoke a guest access.
    case guestAccessRevoke = "guestAccess.revoke"
    /// To create and withdraw the link of a guest access.
    case guestAccessLink = "guestAccess.link"
    /// To list the users who hold a role or guest access in the object.
    case peopleList = "people.list"
    /// To read one user who holds a role or guest access in the object.
    case peopleRead = "people.read"
    /// To manage API keys that have at most the caller's own rights on the object.
    case apiKeysManage = "apiKeys.manage"
    /// To export the access log; on the gateway, the gateway's own log.
    case accessLogExport = "accessLog.export"
    /// To verify a log and read its proofs.
    case accessLogVerify = "accessLog.verify"
    /// To create a report on all access in a period, with the proof that the log is complete.
    case complianceReport = "accessLog.complianceReport"
    /// To create a user. The new user has no rights; assigning roles and granting guest accesses require other permissions.
    case usersCreate = "users.create"
    /// To disable a user, and to enable a disabled user again.
    case usersDisable = "users.disable"
    /// To delete a user with all their roles and guest accesses. The records about the user are kept.
    case usersDelete = "users.delete"
    /// To destroy a person's keys, which makes the person's values in all logs unreadable.
    case usersErase = "users.erase"
    /// To see and change the gateway's adapters.
    case adaptersManage = "adapters.manage"
    /// To read the gateway's own log.
    case gatewayLogRead = "gatewayLog.read"
}

/// The object of a management permission.
package enum ManagedObject: Hashable, Sendable {
    /// The gateway: everything that belongs to no portfolio, such as users, adapters and the gateway's own log.
    case gateway
    /// A portfolio, reached by roles on it.
    case portfolio(PortfolioID)
    /// A property, reached by roles on it and on its portfolio. Tenants of its units reach it for reading.
    case property(PropertyID)
    /// A unit, reached by roles on it, on its property and on its portfolio.
    case unit(UnitID)
    /// A device, reached by roles on its unit, property or portfolio, by tenants of units that share it, and by its guests.
    case device(DeviceID)

    /// Creates the managed object for an entity.
    package init(_ entity: AssociatedEntity) {
        switch entity {
        case .portfolio(let id): self = .portfolio(id)
        case .property(let id): self = .property(id)
        case .unit(let id): self = .unit(id)
        }
    }
}

extension ManagementPermission {
    /// The right to assign and remove `role` on an entity of this type.
    package static func assigning(_ role: Role, on type: AssociatedEntityType) -> Self {
        switch (type, role) {
        case (.portfolio, .auditor): .portfolioAuditorsAssign
        case (.portfolio, _): .portfolioAdminsAssign
        case (.property, .propertyManager): .propertyManagersAssign
        case (.property, _): .propertyStaffAssign
        case (.unit, _): .unitTenantsAssign
        }
    }
}
