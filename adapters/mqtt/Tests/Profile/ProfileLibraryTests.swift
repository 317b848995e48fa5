import Foundation
import Testing

@testable import AdapterMQTT

@Suite struct ProfileLibraryTests {
    private static func profile(_ id: String, _ description: String = "mine") -> String {
        """
        profile: \(id)
        description: \(description)
        state: { topic: x/state, map: { L: locked } }
        commands: { lock: { topic: x/set, payload: L } }
        """
    }

    @Test("the library without folders contains the ten shipped profiles")
    func shipped() {
        let ten = [
            "esphome", "homeassistant", "homekey-esp32", "homie", "nuki-hub", "nuki-native", "ring-mqtt", "tasmota",
            "zigbee2mqtt",
            "zwave-js-ui",
        ]
        #expect(ProfileLibrary.shipped.ids == ten)
        #expect(ProfileLibrary.shipped["yale"] == nil)
    }

    @Test("custom profiles are available after a reload, and replace shipped profiles of the same name")
    func own() throws {
        let folder = try ProfileFolder()
        let library = ProfileLibrary(directories: [folder.path])
        try folder.write(Self.profile("acme"), to: "acme.yaml")
        try folder.write(Self.profile("nuki-native"), to: "nuki.yml")
        try folder.write("not a profile", to: "notes.txt")
        #expect(library["acme"] == nil)
        #expect(library.reload() == [])
        #expect(library["acme"]?.description == "mine" && library["nuki-native"]?.description == "mine")
        #expect(library.replaced == ["nuki-native"])
        try FileManager.default.removeItem(atPath: "\(folder.path)/nuki.yml")
        #expect(library.reload() == [])
        #expect(library["nuki-native"]?.description != "mine" && library.replaced == [], "the shipped profile is used again")
    }

    @Test("an invalid file is reported with its line, and its last valid profile stays in use")
    func mistaken() throws {
        let folder = try ProfileFolder()
        let library = ProfileLibrary(directories: [folder.path])
        try folder.write(Self.profile("acme"), to: "acme.yaml")
        #expect(library.reload() == [])
        try folder.write(Self.profile("acme").replacing("locked", with: "lockd"), to: "acme.yaml")
        let sentences = library.reload()
        #expect(sentences.count == 1 && sentences[0].hasPrefix("\(folder.path)/acme.yaml:3: "), "\(sentences)")
        #expect(library["acme"]?.description == "mine")
        // The earlier profile also stays if the file is empty (while an editor writes it) or has an
        // invalid name or content, and if the folder is missing.
        for broken in ["", "profile: a b c\n", "profile: \"acme\"\r\nstate: 1\r\n"] {
            try folder.write(broken, to: "acme.yaml")
            #expect(library.reload().isEmpty == false && library["acme"]?.description == "mine", "\(broken)")
        }
        try FileManager.default.moveItem(atPath: folder.path, toPath: "\(folder.path)-away")
        #expect(library.reload().count == 1 && library["acme"]?.description == "mine")
        try FileManager.default.moveItem(atPath: "\(folder.path)-away", toPath: folder.path)
        try folder.write("", to: "acme.yaml")
        // The same applies to a profile that replaces a shipped one.
        try folder.write(Self.profile("homie"), to: "homie.yaml")
        _ = library.reload()
        try folder.write(Self.profile("homie") + "\nx: 1", to: "homie.yaml")
        #expect(library.reload().count == 2)
        #expect(library["homie"]?.description == "mine" && library.replaced == ["homie"])
        try FileManager.default.removeItem(atPath: "\(folder.path)/homie.yaml")
        try FileManager.default.removeItem(atPath: "\(folder.path)/acme.yaml")
        #expect(library.reload() == [])
        #expect(library["acme"] == nil)
    }

    @Test("of two files with one profile name the alphabetically first is used; the other and a missing folder are reported")
    func twice() throws {
        let folder = try ProfileFolder()
        try folder.write(Self.profile("acme", "first"), to: "a.yaml")
        try folder.write(Self.profile("acme", "second"), to: "b.yaml")
        let library = ProfileLibrary(directories: [folder.path, "\(folder.path)/none"])
        let sentences = library.reload()
        #expect(library["acme"]?.description == "first")
        #expect(sentences.count == 2, "\(sentences)")
        #expect(sentences.contains { $0.contains("b.yaml:1: `acme` is the name of") })
        #expect(sentences.contains { $0.hasPrefix("\(folder.path)/none: ") })
    }

    @Test("a file that is too long or not UTF-8 is rejected")
    func unreadable() throws {
        let folder = try ProfileFolder()
        try folder.write(String(repeating: "#", count: 70_000), to: "long.yaml")
        try Data([0xff, 0xfe]).write(to: URL(filePath: "\(folder.path)/binary.yaml"))
        let sentences = ProfileLibrary(directories: [folder.path]).reload()
        #expect(
            sentences.map { $0.split(separator: "/").last.map(String.init) } == [
                "binary.yaml: the file is not UTF-8 text",
                "long.yaml: the file is longer than 65536 bytes; a profile is a page or two",
            ])
    }
}
