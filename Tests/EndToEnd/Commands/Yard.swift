import Testing

/// Places, people and keys that commands rename and delete: one of each for a pipe, and one for a terminal.
enum Yard {
    static let keeper = "kim@doors.example"
    private static let destinations = [CommandCase.Destination.pipe, .terminal].map(\.rawValue)

    /// Creates everything, and returns two sessions of the keeper that can be ended.
    static func build(on gateway: RunningGateway) async throws -> [String] {
        let root = try await gateway.signIn(RunningGateway.adminEmail)
        let kimID = try await House.createUser(keeper, "Kim", by: root)
        let kim = try await gateway.signIn(keeper)
        func create(_ caller: Caller, _ path: String, _ body: String, _ noun: String) async throws -> String {
            let answer = try await caller.post(path, body)
            return try #require(answer.data[noun]["id"].text, "\(answer.status) \(answer.body)")
        }
        func portfolio(_ name: String) async throws -> String {
            try await create(root, "/portfolios", #"{"name":"\#(name)","administratorUserIds":["\#(kimID)"]}"#, "portfolio")
        }
        let yard = try await portfolio("Yard")
        func property(_ name: String) async throws -> String {
            try await create(kim, "/properties", #"{"name":"\#(name)","portfolioId":"\#(yard)"}"#, "property")
        }
        func unit(_ name: String, in property: String) async throws {
            _ = try await create(kim, "/units", #"{"name":"\#(name)","propertyId":"\#(property)"}"#, "unit")
        }
        func lock(_ name: String, in property: String) async throws {
            _ = try await create(
                kim, "/devices",
                #"{"name":"\#(name)","adapter":"simulator","address":{"latencyMs":0},"propertyId":"\#(property)"}"#, "device")
        }
        func key(_ name: String, on property: String) async throws {
            _ = try await create(
                kim, "/api-keys",
                #"{"name":"\#(name)","entityType":"PROPERTY","entityId":"\#(property)","role":"AUDITOR","#
                    + #""expiresAt":"\#(try await nextMonth(kim))"}"#, "apiKey")
        }
        let shed = try await property("Shed")
        try await unit("S1", in: shed)
        try await key("Display", on: shed)
        let full = try await property("Full")
        try await unit("F1", in: full)
        for name in ["Left", "Right"] { try await lock(name, in: full) }
        for how in destinations {
            for name in ["Old", "Older"] {
                _ = try await portfolio("\(name) portfolio \(how)")
                _ = try await property("\(name) property \(how)")
                try await unit("\(name) unit \(how)", in: shed)
            }
            _ = try await portfolio("Gone portfolio \(how)")
            try await unit("G1", in: try await property("Gone property \(how)"))
            try await unit("Gone unit \(how)", in: shed)
            _ = try await House.createUser("gone-\(how)@doors.example", "Gone", by: root)
            try await key("Gone key \(how)", on: shed)
            try await lock("Bolt \(how)", in: try await property("Bolted \(how)"))
        }
        let before = try await sessions(of: kim)
        for _ in destinations { _ = try await gateway.signIn(keeper) }
        return try await sessions(of: kim).filter { !before.contains($0) }
    }

    private static func sessions(of caller: Caller) async throws -> [String] {
        try await caller.get("/users/me/sessions").data["sessions"].items.compactMap { $0["id"].text }
    }

    /// The end of the caller's session, which is 30 days from now by the gateway's clock.
    private static func nextMonth(_ caller: Caller) async throws -> String {
        let session = try await caller.get("/users/me/sessions").data["sessions"].items.first
        return try #require(session?["expiresAt"].text)
    }
}
