import Testing

@testable import AdapterMQTT

@Suite struct ShippedProfilesTests {
    @Test("every shipped file is a profile without a mistake, under its own name", arguments: ShippedProfiles.files.map(\.name))
    func whole(_ name: String) throws {
        let file = try #require(ShippedProfiles.files.first { $0.name == name })
        let profile = try Profile(yaml: String(decoding: file.bytes, as: UTF8.self), file: "\(name).yaml")
        #expect(profile.id == name)
        #expect(!profile.description.isEmpty && !profile.version.isEmpty && !profile.origin.isEmpty)
        #expect(profile.variables.allSatisfy { !$0.meaning.isEmpty }, "each variable has a sentence")
    }
}
