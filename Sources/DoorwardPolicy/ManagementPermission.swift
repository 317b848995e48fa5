/// A right to manage something. Raw values are those of `GET /permission-matrix`.
package enum ManagementPermission: String, CaseIterable, Codable, Sendable {
    /// Asked about the gateway, as there is no portfolio yet.
    case portfolioCreate = "portfolio.create"
    case portfolioRead = "portfolio.read"
    case portfolioRename = "portfolio.rename"
    case portfolioDelete = "portfolio.delete"
    case subscriptionRead = "subscription.read"
    /// To change tier, modules and limits of a portfolio.
    case subscriptionChange = "subscription.change"
    /// To assign and remove OWNER and PORTFOLIO_ADMIN.
    case portfolioAdminsAssign = "portfolio.admins.assign"
    /// To assign and remove AUDITOR on a portfolio.
    case portfolioAuditorsAssign = "portfolio.auditors.assign"
    case propertyRead = "property.read"
    case propertyChange = "property.change"
    /// Asked about the portfolio that it shall belong to.
    case propertyCreate = "property.create"
    /// With a cascade, of all that hangs on it too.
    case propertyDelete = "property.delete"
    /// To assign and remove PROPERTY_MANAGER.
    case propertyManagersAssign = "property.managers.assign"
    /// To assign and remove MAINTENANCE and AUDITOR on a property.
    case propertyStaffAssign = "property.staff.assign"
    case unitRead = "unit.read"
    /// Asked about the property that it shall belong to.
    case unitCreate = "unit.create"
    case unitChange = "unit.change"
    /// With a cascade, of all that hangs on it too.
    case unitDelete = "unit.delete"
    /// To assign and remove TENANT.
    case unitTenantsAssign = "unit.tenants.assign"
    case deviceRead = "device.read"
    /// Asked about the property or unit that it shall hang on.
    case deviceAttach = "device.attach"
    /// Name, address, metadata, and whether it is operated remotely.
    case deviceChange = "device.change"
    /// Asked about the device and about the property or unit that it moves to.
    case deviceMove = "device.move"
    /// To take a device off its property, which leaves it unassigned, or to delete it.
    case deviceDetach = "device.detach"
    /// To start and lift a lockdown.
    case lockdown = "lockdown"
    /// Whoever grants also needs GRANT_ACCESS on each device, and each operation that they grant.
    case guestAccessGrant = "guestAccess.grant"
    case guestAccessChange = "guestAccess.change"
    case guestAccessRevoke = "guestAccess.revoke"
    /// To make and withdraw the link of a guest access.
    case guestAccessLink = "guestAccess.link"
    /// To list who holds what in the object.
    case peopleList = "people.list"
    /// To read one person who holds something in the object.
    case peopleRead = "people.read"
    /// Keys with no more than one's own rights on the object.
    case apiKeysManage = "apiKeys.manage"
    /// Of the gateway's own log, when asked about the gateway.
    case accessLogExport = "accessLog.export"
    /// To verify a log and read its proofs.
    case accessLogVerify = "accessLog.verify"
    /// Who had access to what and when, with the proof that the log is whole.
    case complianceReport = "accessLog.complianceReport"
    case usersCreate = "users.create"
    case usersDisable = "users.disable"
    case usersDelete = "users.delete"
    /// To destroy a person's keys, and with them what the logs say of them personally.
    case usersErase = "users.erase"
    /// To see and change the gateway's own ways to the locks.
    case adaptersManage = "adapters.manage"
    /// To read the gateway's own log.
    case gatewayLogRead = "gatewayLog.read"
}
