/// Why a promise does not apply to an adapter: what its locks, or its transport, lack.
struct NotApplicable: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }

    static let reports = NotApplicable("locks of this kind report nothing by themselves")
    static let hands = NotApplicable("nobody turns locks of this kind by hand")
    static let retained = NotApplicable("the transport keeps no earlier report")
    static let transport = NotApplicable("nothing that could be away lies between the adapter and its locks")
    static let ways = NotApplicable("the adapter has no transports that belong to a tenant")
    static let discovery = NotApplicable("locks of this kind do not make themselves known")
    static let limited = NotApplicable("every lock of this kind can do the same")
    static let fields = NotApplicable("an address has no such field")
}
