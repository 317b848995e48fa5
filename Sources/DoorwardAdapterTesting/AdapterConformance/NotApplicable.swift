/// The reason why a check does not apply to an adapter: a feature that the adapter's locks or transport do not have.
struct NotApplicable: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }

    static let reports = NotApplicable("locks of this kind send no reports of their own")
    static let manualTurns = NotApplicable("locks of this kind cannot be turned by hand")
    static let retained = NotApplicable("the transport retains no reports")
    static let transport = NotApplicable("there is no transport between the adapter and its locks that could be disconnected")
    static let transportAddresses = NotApplicable("the adapter has no transports that belong to a tenant")
    static let discovery = NotApplicable("locks of this kind cannot be discovered")
    static let limited = NotApplicable("all locks of this kind have the same capabilities")
    static let settings = NotApplicable("the settings of locks of this kind cannot be changed through the gateway")
    static let fields = NotApplicable("addresses of this adapter have no such field")
}
