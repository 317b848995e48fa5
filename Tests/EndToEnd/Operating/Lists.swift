import Testing

/// All lists of a gateway, in a form that allows comparing two gateways.
struct Lists: Equatable, Sendable {
    /// The items of each list, by its path.
    var tenancy: [String: [JSON]] = [:]
    /// The records of each log that the admin or the owner may read, in order.
    var logs: [String: [JSON]] = [:]
    /// All commands of each lock, by their id.
    var commands: [String: JSON] = [:]

    /// Fields that a lock reports again when the gateway starts.
    private static let condition = [
        "state", "stateQuality", "stateAt", "doorState", "batteryLevel", "batteryLow", "isOnline", "lastSeen", "faults",
    ]

    /// - Parameters:
    ///   - admin: The user who reads the gateway's own log and the users.
    ///   - house: The house whose owner reads everything else.
    static func read(on gateway: RunningGateway, admin: Caller, _ house: House) async throws -> Lists {
        let (admin, owner) = (admin.at(gateway), house.owner.at(gateway))
        var lists = Lists()
        for (path, noun) in [
            ("/portfolios", "portfolios"), ("/properties", "properties"), ("/units", "units"), ("/devices", "devices"),
            ("/guest-access", "guestAccesses"), ("/units/\(house.unitID)/tenants", "users"),
            ("/portfolios/\(house.portfolioID)/admins", "users"),
        ] {
            let items = try await owner.get("\(path)?limit=200").data[noun].items
            try #require(!items.isEmpty, "\(path) is empty: nothing to compare")
            lists.tenancy[path] = items.map { $0.without(condition) }
        }
        lists.tenancy["/users"] = try await admin.get("/users?limit=200").data["users"].items
        for caller in [admin, owner] { try await lists.readRecords(by: caller) }
        for device in lists.tenancy["/devices"] ?? [] {
            try await lists.readCommands(of: #require(device["id"].text), by: owner)
        }
        return lists
    }

    private mutating func readRecords(by caller: Caller) async throws {
        var cursor = ""
        while true {
            let answer = try await caller.get("/access-records?order=asc&limit=500\(cursor)")
            try #require(answer.status == 200, "\(answer.body)")
            for record in answer.data["accessRecords"].items { logs[record["logId"].text ?? "", default: []].append(record) }
            guard let next = answer.data["nextCursor"].text else { return }
            cursor = "&cursor=\(next)"
        }
    }

    private mutating func readCommands(of device: String, by caller: Caller) async throws {
        var page = 1
        while true {
            let data = try await caller.get("/commands?deviceId=\(device)&limit=200&page=\(page)").data
            for command in data["commands"].items { commands[command["id"].text ?? ""] = command }
            guard case .number(let pages) = data["pagination"]["totalPages"], Double(page) < pages else { return }
            page += 1
        }
    }
}

extension JSON {
    /// Returns the object without some of its members.
    fileprivate func without(_ keys: [String]) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { !keys.contains($0.key) })
    }
}
