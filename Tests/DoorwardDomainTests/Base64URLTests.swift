import DoorwardDomain
import Foundation
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
        let standard = Data(bytes).base64EncodedString()
        #expect(text == standard.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: ""))
    }

    @Test("the examples of RFC 4648, section 10")
    func examples() {
        let texts = ["", "Zg", "Zm8", "Zm9v", "Zm9vYg", "Zm9vYmE", "Zm9vYmFy"]
        for (count, text) in texts.enumerated() { #expect(Base64URL.encode(Array("foobar".utf8.prefix(count))) == text) }
    }

    @Test("every text of four characters has at most one form: what is decoded is encoded as the same text")
    func onlyForm() {
        let characters = Array("AQgwZ059_-+/=.".utf8) + [0, 0x7F, 0x80, 0xFF]
        for first in characters {
            for second in characters {
                for count in 0..<4 {
                    let text = [UInt8](repeating: 65, count: count) + [first, second]
                    guard let bytes = Base64URL.decode(text) else { continue }
                    #expect(Base64URL.encode(bytes).utf8.elementsEqual(text))
                }
            }
        }
        #expect(Base64URL.decode("Zh".utf8) == nil)
        #expect(Base64URL.decode("Zm9".utf8) == nil)
        #expect(Base64URL.decode("A".utf8) == nil)
    }
}
