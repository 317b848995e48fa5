package import DoorwardDomain

/// The rules for passwords: a minimum length, a maximum length, and a list of common passwords that
/// are rejected. There are no other rules.
package enum PasswordRules {
    /// The minimum length in Unicode code points (NIST SP 800-63B-4, section 3.1.1.2, for a single factor).
    package static let shortest = 15
    /// The maximum length in bytes of UTF-8: longer passwords are rejected before they are hashed.
    package static let maxBytes = 1024

    /// - Throws: `.invalid` with `too_short`, `too_long` or `too_common`.
    package static func check(_ password: Secret<String>, field: String) throws(GatewayError) {
        if let problem = problem(with: password) { throw .invalid(field, problem) }
    }

    /// A stable code for the violated rule, or `nil` if the password is acceptable.
    package static func problem(with password: Secret<String>) -> String? {
        let text = password.reveal()
        if text.utf8.count > maxBytes { return "too_long" }
        if text.unicodeScalars.count < shortest { return "too_short" }
        if common.contains(text.lowercased()) { return "too_common" }
        return nil
    }

    /// Common passwords of at least the minimum length, from the top of lists of leaked passwords. Lower case.
    private static let common: Set<String> = Set(
        """
        123456789012345 1234567890123456 12345678901234567890 123456789123456 1234567891234567 123456789123456789
        111111111111111 1111111111111111 000000000000000 0000000000000000 987654321987654321 112233445566778899
        123123123123123 123456123456123456 1234512345123451 098765432109876 0987654321098765 123321123321123321
        passwordpassword password1234567 password12345678 password123456789 password1password1 passwordpassword1
        mypasswordispassword thisismypassword thisisapassword thisispassword1 passwordispassword changemechangeme
        changethispassword pleasechangeme1 letmeinletmein1 letmeinletmeinletmein letmeinpleaseletmein iloveyouiloveyou
        iloveyousomuch1 iloveyousomuch123 iloveyouforever iloveyouforever1 iloveyou123456789 iloveyou1234567
        qwertyuiopasdfgh qwertyuiopasdfghjkl qwertyuiop123456 qwertyuiop1234567890 qwertyqwertyqwerty qwertyuiopqwertyuiop
        qwerty123456789 qwerty1234567890 qwertyuiopasdfghjklzxcvbnm qwertyuiopasdfghjklzxcvb asdfghjklasdfghjkl
        asdfghjkl123456 asdfghjklzxcvbnm zxcvbnmasdfghjkl zxcvbnmzxcvbnm1 1qaz2wsx3edc4rfv 1qaz2wsx3edc4rfv5tgb
        1q2w3e4r5t6y7u8i 1q2w3e4r5t6y7u8i9o0p 1q2w3e4r5t1q2w3e4r5t q1w2e3r4t5y6u7i8 q1w2e3r4t5y6u7i8o9p0 qazwsxedcrfvtgb
        qazwsxedcrfvtgbyhn abcdefghijklmno abcdefghijklmnop abcdefghijklmnopqrstuvwxyz abcdefgh12345678 abcdefg1234567890
        abc123abc123abc123 abcabcabcabcabc abcd1234abcd1234 a1b2c3d4e5f6g7h8 aaaaaaaaaaaaaaa aaaaaaaaaaaaaaaa
        administrator123 administrator1234 administratoradministrator adminadminadmin adminadminadmin1 admin123admin123
        admin1234567890 superadministrator superadmin12345 rootrootrootroot welcomewelcome1 welcome12345678 welcome123456789
        correcthorsebatterystaple correct-horse-battery-staple correct horse battery staple trustno1trustno1
        footballfootball baseballbaseball superman12345678 monkeymonkeymonkey dragondragondragon sunshinesunshine
        princessprincess michaeljackson1 jesuschristislord jesusislord12345 christianoronaldo cristianoronaldo7
        leicestercityfc manchesterunited manchester-united liverpoolfootballclub realmadridrealmadrid barcelonabarcelona
        computercomputer internetinternet secretsecretsecret testtesttesttest test1234test1234 testpassword1234
        unknownunknown1 whateverwhatever nothingnothing1 opensesameopensesame doorwarddoorward doorward1234567
        doorwardpassword homesweethome123 homesweethome1234 thequickbrownfox thequickbrownfoxjumps maythefourthbewithyou
        maytheforcebewithyou supercalifragilisticexpialidocious everythingisawesome hellohellohello hello123hello123
        """.split(whereSeparator: \.isWhitespace).map(String.init) + ["correct horse battery staple"])
}
