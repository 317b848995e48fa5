import AdapterMQTT
import DoorwardDomain
import Testing

@Suite struct BoundedJSONTests {
    @Test(
        "what is no JSON value in UTF-8 is none",
        arguments: [
            [], Array("{".utf8), Array("{} {}".utf8), Array("NaN".utf8), Array("'a'".utf8), [0xFF, 0xFE],
            [0x22, 0xC3, 0x28, 0x22], Array("[\u{0}1]".utf8), [0x5B, 0x00, 0x31, 0x00, 0x5D, 0x00], Array("\"a\u{1}b\"".utf8),
        ])
    func none(bytes: [UInt8]) { #expect(BoundedJSON.value(bytes) == nil) }

    @Test("brackets lie in one another 32 times and no deeper, and those in texts do not count")
    func depth() {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(BoundedJSON.value(nested(32)) != nil)
        #expect(BoundedJSON.value(nested(33)) == nil)
        #expect(BoundedJSON.value(nested(30_000)) == nil)
        let text = String(repeating: "[{", count: 100) + #"\"[["#
        #expect(BoundedJSON.value(Array("[\"\(text)\"]".utf8)) != nil)
    }

    @Test("a payload may be as long as is said and no longer")
    func length() {
        let bytes = Array("\"\(String(repeating: "a", count: 65_534))\"".utf8)
        #expect(BoundedJSON.value(bytes) != nil)
        #expect(BoundedJSON.value(bytes + [0x20]) == nil)
        #expect(BoundedJSON.value(bytes + [0x20], longest: 65_537) != nil)
    }
}
