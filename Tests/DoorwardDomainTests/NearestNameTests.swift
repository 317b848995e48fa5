import DoorwardDomain
import Testing

@Suite("Suggestions for a misspelt name") struct NearestNameTests {
    @Test(
        "the closest name is suggested",
        arguments: [
            ("http.prot", "http.port"), ("HTTP.PORT", "http.port"), ("http.poort", "http.port"), ("stor.path", "store.path"),
        ])
    func suggests(_ typed: String, _ meant: String) {
        #expect(nearestName(to: typed, among: ["store.path", "http.port", "http.host"]) == meant)
    }

    @Test("of two equally close names the alphabetically first is suggested")
    func ties() {
        #expect(nearestName(to: "cat", among: ["hat", "bat"]) == "bat")
    }

    @Test("nothing is suggested if no name is similar", arguments: ["elephant", "", "x.y.z.w"])
    func silent(_ typed: String) {
        #expect(nearestName(to: typed, among: ["http.port"]) == nil)
    }
}
