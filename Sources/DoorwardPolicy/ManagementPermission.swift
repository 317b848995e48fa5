/// A right to manage something. Raw values are those of `GET /permission-matrix`.
package enum ManagementPermission: String, CaseIterable, Codable, Sendable {
    /// Asked about the gateway, as there is no portfolio yet.
    case portfolioCreate = "portfolio.create"
    /// A role on a property or unit does not give it: who works below need not know the whole.
    case portfolioRead = "portfolio.read"
    /// The name is all that is changed of a portfolio; its people have permissions of their own.
    case portfolioRename = "portfolio.rename"
    /// With a cascade, of all that lies in it too.
    case portfolioDelete = "portfolio.delete"
    /// Tier, modules and limits, with how much of them is used.
    case subscriptionRead = "subscription.read"
    /// To change tier, modules and limits of a portfolio.
    case subscriptionChange = "subscription.change"
    /// To assign and remove OWNER and PORTFOLIO_ADMIN.
    case portfolioAdminsAssign = "portfolio.admins.assign"
    /// To assign and remove AUDITOR on a portfolio.
    case portfolioAuditorsAssign = "portfolio.auditors.assign"
    /// A tenant holds it on the property of their unit, though a role reaches down only.
    case propertyRead = "property.read"
    /// Its name, address and time zone.
    case propertyChange = "property.change"
    /// Asked about the portfolio that it shall belong to.
    case propertyCreate = "property.create"
    /// With a cascade, of all that hangs on it too.
    case propertyDelete = "property.delete"
    /// To assign and remove PROPERTY_MANAGER.
    case propertyManagersAssign = "property.managers.assign"
    /// To assign and remove MAINTENANCE and AUDITOR on a property.
    case propertyStaffAssign = "property.staff.assign"
    /// A tenant holds it on their own unit and on no other.
    case unitRead = "unit.read"
    /// Asked about the property that it shall belong to.
    case unitCreate = "unit.create"
    /// Its name, and the common areas that its tenants may use.
    case unitChange = "unit.change"
    /// With a cascade, of all that hangs on it too.
    case unitDelete = "unit.delete"
    /// To assign and remove TENANT.
    case unitTenantsAssign = "unit.tenants.assign"
    /// Goes with VIEW_STATUS for every role; a guest, who has none, sees a device by that operation alone.
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
    /// Its window, operations and devices; each device or operation added wants GRANT_ACCESS as well.
    case guestAccessChange = "guestAccess.change"
    /// To end it before its time, for good.
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
    /// A new user holds nothing yet: roles and guest accesses are given by other permissions.
    case usersCreate = "users.create"
    /// To disable a user and to enable one again.
    case usersDisable = "users.disable"
    /// To delete a user with all that they hold; the records about them stay.
    case usersDelete = "users.delete"
    /// To destroy a person's keys, and with them what the logs say of them personally.
    case usersErase = "users.erase"
    /// To see and change the gateway's own ways to the locks.
    case adaptersManage = "adapters.manage"
    /// To read the gateway's own log.
    case gatewayLogRead = "gatewayLog.read"
}
