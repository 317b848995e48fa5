import Testing

/// A portfolio with a property, a unit, users and simulated locks, created over HTTP by their owner.
struct House: Sendable {
    let owner: Caller
    let portfolioID: String
    let propertyID: String
    let unitID: String

    static func build(on gateway: RunningGateway) async throws -> House {
        let admin = try await gateway.signIn(RunningGateway.adminEmail)
        let ownerID = try await createUser("owner@doors.example", "Olga", by: admin)
        let portfolio = try await create(
            admin, "/portfolios", #"{"name":"Harbour","administratorUserIds":["\#(ownerID)"]}"#, "portfolio")
        let owner = try await gateway.signIn("owner@doors.example")
        let property = try await create(
            owner, "/properties", #"{"name":"Quay 1","portfolioId":"\#(portfolio)","defaultTimeZone":"Europe/Berlin"}"#,
            "property")
        let unit = try await create(owner, "/units", #"{"name":"1a","propertyId":"\#(property)"}"#, "unit")
        return House(owner: owner, portfolioID: portfolio, propertyID: property, unitID: unit)
    }

    static func createUser(_ email: String, _ name: String, by admin: Caller) async throws -> String {
        try await create(
            admin, "/users",
            #"{"email":"\#(email)","firstName":"\#(name)","lastName":"Example","password":"\#(RunningGateway.password)"}"#, "user"
        )
    }

    /// Creates a tenant of the unit and signs them in.
    func tenant(_ name: String, on gateway: RunningGateway) async throws -> Caller {
        let admin = try await gateway.signIn(RunningGateway.adminEmail)
        let email = "\(name.lowercased())@doors.example"
        let id = try await Self.createUser(email, name, by: admin)
        let answer = try await owner.post("/units/\(unitID)/tenants", #"{"userId":"\#(id)","role":"TENANT"}"#)
        try #require(answer.status == 200, "\(answer.body)")
        return try await gateway.signIn(email)
    }

    /// Attaches a simulated lock to the unit. `address` is the content of the address object, without the braces.
    func lock(_ name: String, address: String = "") async throws -> String {
        try await Self.create(
            owner, "/devices",
            #"{"name":"\#(name)","adapter":"simulator","address":{\#(address)},"propertyId":"\#(propertyID)","unitId":"\#(unitID)"}"#,
            "device")
    }

    /// Creates another property of the portfolio, with one unit.
    func property(_ name: String, unit: String) async throws -> (propertyID: String, unitID: String) {
        let property = try await Self.create(
            owner, "/properties", #"{"name":"\#(name)","portfolioId":"\#(portfolioID)","defaultTimeZone":"Europe/Berlin"}"#,
            "property")
        let unit = try await Self.create(owner, "/units", #"{"name":"\#(unit)","propertyId":"\#(property)"}"#, "unit")
        return (property, unit)
    }

    /// Attaches a simulated lock to another unit.
    func lock(_ name: String, property: String, unit: String) async throws -> String {
        try await Self.create(
            owner, "/devices",
            #"{"name":"\#(name)","adapter":"simulator","address":{},"propertyId":"\#(property)","unitId":"\#(unit)"}"#, "device")
    }

    /// Waits until there is a command for the lock.
    func untilCommanded(_ lock: String) async throws {
        while true {
            let commands = try await owner.get("/commands?deviceId=\(lock)")
            if !commands.data["commands"].items.isEmpty { return }
        }
    }

    private static func create(_ caller: Caller, _ path: String, _ body: String, _ noun: String) async throws -> String {
        let answer = try await caller.post(path, body)
        return try #require(answer.data[noun]["id"].text, "\(answer.status) \(answer.body)")
    }
}
