import DoorwardDomain
import Foundation
import Testing

@testable import doorward

@Suite("The claims of an access token") struct AccessTokenClaimsTests {
    private func token(_ claims: String) -> String {
        let payload = Data(claims.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
        return "eyJhbGciOiJFZERTQSJ9.\(payload).c2ln"
    }

    @Test("the expiry is read for every length of the payload", arguments: ["", "a", "ab", "abc", "??>>ÿ"])
    func expiry(_ subject: String) {
        let expiry = Timestamp(expiryOf: token(#"{"exp":1700000000,"sub":"\#(subject)"}"#))
        #expect(expiry?.description == "2023-11-14T22:13:20.000Z")
    }

    @Test(
        "a text that is not an access token has no claims",
        arguments: ["", "dw_key", "a.b", "a.b.c", "a.b.c.d", "a.bm90IGpzb24.c", "a.e30.c", "a.eyJleHAiOi0xfQ.c"])
    func none(_ token: String) { #expect(Timestamp(expiryOf: token) == nil) }

    @Test("an expiry beyond the supported dates is rejected")
    func far() { #expect(Timestamp(expiryOf: token(#"{"exp":9223372036854775807}"#)) == nil) }
}
