import DoorwardDomain
import Testing

@Suite struct IPAddressTests {
    @Test(
        "all spellings of an address give the same address",
        arguments: [
            (["192.0.2.1", "::ffff:192.0.2.1", "::FFFF:c000:201", "0:0:0:0:0:ffff:c000:0201"], "192.0.2.1"),
            (["2001:db8::7", "2001:DB8:0:0::7", "2001:0db8:0000:0000:0000:0000:0000:0007", "2001:db8::7%eth0"], "2001:db8::7"),
            (["::1", "0:0:0:0:0:0:0:1"], "::1"), (["::", "0::0"], "::"),
        ] as [([String], String)])
    func spellings(_ spellings: [String], _ text: String) {
        for spelling in spellings {
            #expect(IPAddress(spelling)?.description == text, "\(spelling)")
            #expect(IPAddress(spelling) == IPAddress(text))
        }
    }

    @Test(
        "any other text is not an address",
        arguments: ["", " ", "localhost", "192.0.2", "192.0.2.256", "192.0.2.01", "1.2.3.4%x", "::g", "1:2:3", "2001:db8::7/64"]
            + [String(repeating: "1", count: 100_000)])
    func others(_ text: String) { #expect(IPAddress(text) == nil) }

    @Test("the network of an IPv4 address is the address, and that of an IPv6 address its first bits")
    func networks() {
        #expect(IPAddress("2001:db8:1:2:3:4:5:6")?.network(ofIPv6Bits: 64) == "2001:db8:1:2::/64")
        #expect(IPAddress("2001:db8:1:2:3:4:5:6")?.network(ofIPv6Bits: 48) == "2001:db8:1::/48")
        #expect(IPAddress("::ffff:192.0.2.1")?.network(ofIPv6Bits: 64) == "192.0.2.1")
    }

    @Test(
        "loopback addresses are recognized",
        arguments: [("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("::2", false), ("128.0.0.1", false), ("::", false)])
    func loopback(_ text: String, _ isLoopback: Bool) { #expect(IPAddress(text)?.isLoopback == isLoopback) }
}
