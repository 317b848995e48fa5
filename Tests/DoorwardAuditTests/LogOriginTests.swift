import DoorwardAudit
import DoorwardDomain
import Testing

@Suite struct LogOriginTests {
    private static let portfolio = LogID.portfolio(PortfolioID(high: 1, low: 2))

    @Test("an origin has the generation from the second one on, and is parsed back")
    func spelling() {
        let cases: [(LogOrigin, String)] = [
            (LogOrigin(gateway: "doorward.local", log: .gateway), "doorward.local/logs/gateway"),
            (LogOrigin(gateway: "doorward.local", log: .gateway, generation: 2), "doorward.local/logs/gateway/2"),
            (LogOrigin(gateway: "a", log: Self.portfolio, generation: 11), "a/logs/\(Self.portfolio)/11"),
            (LogOrigin(gateway: "a/logs/gateway", log: Self.portfolio), "a/logs/gateway/logs/\(Self.portfolio)"),
        ]
        for (origin, text) in cases {
            #expect(origin.description == text)
            #expect(LogOrigin(parsing: text) == origin)
        }
    }

    @Test(
        "other spellings are no origins",
        arguments: [
            "", "doorward.local", "doorward.local/logs", "doorward.local/logs/", "/logs/gateway", "doorward.local/log/gateway",
            "doorward.local/logs/Gateway", "doorward.local/logs/gateway/1", "doorward.local/logs/gateway/0",
            "doorward.local/logs/gateway/02", "doorward.local/logs/gateway/+2", "doorward.local/logs/gateway/-2",
            "doorward.local/logs/gateway/2/3", "doorward.local/logs/gateway/", "a b/logs/gateway", "a+b/logs/gateway",
            "doorward.local/logs/gateway/99999999999999999999",
        ])
    func malformed(text: String) { #expect(LogOrigin(parsing: text) == nil) }
}
