package import DoorwardDomain
internal import HashTreeCollections

extension TenancyDirectory {
    /// The number of objects of a portfolio that count towards a limit. The cost depends on the number of the portfolio's properties
    /// and, for guest accesses, on the number of these.
    ///
    /// - Parameter instant: determines which guest accesses have ended.
    package func usage(of limit: SubscriptionLimit, in portfolio: PortfolioID, at instant: Timestamp) -> Int {
        let properties = propertiesByPortfolio[portfolio] ?? []
        return switch limit {
        case .maxProperties: properties.count
        case .maxUnits: properties.reduce(0) { $0 + (unitsByProperty[$1]?.count ?? 0) }
        case .maxDevices: properties.reduce(0) { $0 + (devicesByProperty[$1]?.count ?? 0) }
        case .maxActiveGuestAccess:
            properties.reduce(0) { count, property in
                count
                    + (guestAccessesByProperty[property] ?? []).count { id in
                        guestAccesses[id].map { instant < $0.access.endsAt } ?? false
                    }
            }
        }
    }
}
