import DoorwardDomain
import Testing

@Suite struct Base64URLTests {
    @Test("base64url is decoded only in the form in which it is encoded", arguments: 0..<70)
    func base64URL(_ count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: 0xFF &- $0 &* 37) }
        let text = Base64URL.encode(bytes)
        #expect(Base64URL.decode(text.utf8) == bytes)
        #expect(Base64URL.decode((text + "=").utf8) == nil)
        #expect(Base64URL.decode((text + "A").utf8) != bytes)
        for wrong in ["+", "/", " ", "\n", "é"] { #expect(Base64URL.decode((text + wrong).utf8) == nil) }
    }
}
