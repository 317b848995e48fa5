import DoorwardDomain
import Testing

@Suite struct IPNetworkTests {
    @Test(
        "A network contains the addresses with its prefix",
        arguments: [
            ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false), ("10.0.0.0/8", "10.255.0.1", true),
            ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.0/12", "10.15.0.1", true), ("10.0.0.0/12", "10.16.0.1", false),
            ("0.0.0.0/0", "192.0.2.1", true), ("0.0.0.0/0", "::1", false), ("::1", "::1", true), ("fd00::/8", "fdff::1", true),
            ("fd00::/8", "fe00::1", false), ("10.0.0.0/8", "::ffff:10.1.2.3", true),
        ])
    func contains(_ text: String, _ address: String, _ isInside: Bool) throws {
        #expect(try #require(IPNetwork(text)).contains(try #require(IPAddress(address))) == isInside)
    }

    @Test(
        "Any other text is rejected",
        arguments: [
            "", "localhost", "10.0.0", "10.0.0.256", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "::1/129", " ::1", "1.2.3.4/8/8",
            "fe80::1%eth0",
        ])
    func refuses(_ text: String) {
        #expect(IPNetwork(text) == nil)
    }
}
