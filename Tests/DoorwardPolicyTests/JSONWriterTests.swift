import DoorwardDomain
import DoorwardPolicy
import Testing

@Suite struct JSONWriterTests {
    private func text(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("Fields are written in the order of the calls, separated by commas")
    func order() {
        let written = text { writer in
            writer.object { writer in
                writer.field("z", 1)
                writer.field("a", [String]())
                writer.field("m", ["x", "y"])
                writer.field("o") { $0.object { $0.field("n", Int?.none) } }
                writer.fieldIfPresent("absent", String?.none)
                writer.field("last", true)
            }
        }
        #expect(written == #"{"z":1,"a":[],"m":["x","y"],"o":{"n":null},"last":true}"#)
    }

    @Test(
        "Every written string is read back unchanged",
        arguments: [
            "", "a\"b\\c/d", "\u{0}\u{1F}\n\t", "é😀\u{7F}", "</script>",
        ])
    func strings(_ string: String) throws {
        #expect(try JSONValue.parse(Array(text { $0.string(string) }.utf8)) == .string(string))
    }

    @Test("Equal values are written as the same text, whatever the order of their keys")
    func canonical() throws {
        let (a, b) = (#"{"b":[1,{"d":1.5,"c":null}],"a":true}"#, #"{ "a":true, "b":[1,{"c":null,"d":1.5}] }"#)
        let written = try [a, b].map { source in
            let value = try JSONValue.parse(Array(source.utf8))
            return text { value.write(into: &$0) }
        }
        #expect(written[0] == #"{"a":true,"b":[1,{"c":null,"d":1.5}]}"#)
        #expect(written[1] == written[0])
    }

    @Test("An entity is written without the fields above the reader's level; a field without a value is null")
    func entity() {
        let now = Timestamp(milliseconds: 0)
        let property = Property(
            id: PropertyID(high: 1, low: 2), name: #"No. "5""#, portfolioID: PortfolioID(high: 3, low: 4), createdAt: now,
            updatedAt: now)
        let directory = TenancyDirectory()
        let reader = FieldReader(directory.subject(of: .user(UserID(high: 5, low: 6))), level: .publicLevel, at: .trusted(now))
        let written = text { $0.object(property, Property.fields, for: reader, in: directory) }
        #expect(
            written == """
                {"id":"00000000-0000-0001-0000-000000000002","name":"No. \\"5\\"","address":null,"defaultTimeZone":null,\
                "lockdown":{"active":false},"viewLevel":"PUBLIC"}
                """)
    }
}
