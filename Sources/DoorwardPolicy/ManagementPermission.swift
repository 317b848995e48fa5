/// A right to manage something. Raw values are those of `GET /permission-matrix`.
package enum ManagementPermission: String, CaseIterable, Codable, Sendable {
    case portfolioCreate = "portfolio.create"
    case portfolioRead = "portfolio.read"
    case portfolioRename = "portfolio.rename"
    case portfolioDelete = "portfolio.delete"
    case subscriptionRead = "subscription.read"
    case subscriptionChange = "subscription.change"
    /// To assign and remove OWNER and PORTFOLIO_ADMIN.
    case portfolioAdminsAssign = "portfolio.admins.assign"
    /// To assign and remove AUDITOR on a portfolio.
    case portfolioAuditorsAssign = "portfolio.auditors.assign"
    case propertyRead = "property.read"
    case propertyChange = "property.change"
    /// Asked about the portfolio that it shall belong to.
    case propertyCreate = "property.create"
    case propertyDelete = "property.delete"
    /// To assign and remove PROPERTY_MANAGER.
    case propertyManagersAssign = "property.managers.assign"
    /// To assign and remove MAINTENANCE and AUDITOR on a property.
    case propertyStaffAssign = "property.staff.assign"
    case unitRead = "unit.read"
    /// Asked about the property that it shall belong to.
    case unitCreate = "unit.create"
    case unitChange = "unit.change"
    case unitDelete = "unit.delete"
    /// To assign and remove TENANT.
    case unitTenantsAssign = "unit.tenants.assign"
    case deviceRead = "device.read"
    /// Asked about the property or unit that it shall hang on.
    case deviceAttach = "device.attach"
    case deviceChange = "device.change"
    /// Asked about the device and about the property or unit that it moves to.
    case deviceMove = "device.move"
    case deviceDetach = "device.detach"
    /// To start and lift a lockdown.
    case lockdown = "lockdown"
    case guestAccessGrant = "guestAccess.grant"
    case guestAccessChange = "guestAccess.change"
    case guestAccessRevoke = "guestAccess.revoke"
    case guestAccessLink = "guestAccess.link"
    case peopleList = "people.list"
    case peopleRead = "people.read"
    case apiKeysManage = "apiKeys.manage"
    case accessLogExport = "accessLog.export"
    /// To verify a log and read its proofs.
    case accessLogVerify = "accessLog.verify"
    case complianceReport = "accessLog.complianceReport"
    case usersCreate = "users.create"
    case usersDisable = "users.disable"
    case usersDelete = "users.delete"
    case usersErase = "users.erase"
    case adaptersManage = "adapters.manage"
    /// To read the gateway's own log.
    case gatewayLogRead = "gatewayLog.read"
}
