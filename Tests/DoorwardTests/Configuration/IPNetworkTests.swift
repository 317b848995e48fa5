import Testing

@testable import doorward

@Suite("IP addresses and networks") struct IPNetworkTests {
    @Test(
        "addresses and networks are read",
        arguments: [
            ("127.0.0.1", 4, 32), ("10.0.0.0/8", 4, 8), ("0.0.0.0/0", 4, 0), ("::1", 16, 128), ("fd00::/8", 16, 8),
        ])
    func reads(_ text: String, _ bytes: Int, _ prefix: Int) throws {
        let network = try #require(IPNetwork(text))
        #expect(network.address.count == bytes)
        #expect(network.prefixLength == prefix)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "localhost", "10.0.0", "10.0.0.256", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "::1/129", " ::1", "1.2.3.4/8/8",
        ])
    func refuses(_ text: String) {
        #expect(IPNetwork(text) == nil)
    }

    @Test(
        "only this machine's own addresses are loopback",
        arguments: ["0.0.0.0", "::", "10.0.0.1", "::2", "example.org", "127.0.0.1.example.org"])
    func notLoopback(_ host: String) {
        #expect(!IPNetwork.isLoopback(host))
    }
}
