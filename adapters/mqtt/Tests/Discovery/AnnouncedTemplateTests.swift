import AdapterMQTT
import Testing

@Suite struct AnnouncedTemplateTests {
    private func problem(_ template: String) throws -> String? {
        var broker = DiscoveryFixture()
        let text = template.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#)
        broker.receive("homeassistant/lock/a/config", DiscoveryFixture.announcement("a", #""val_tpl":"\#(text)""#))
        return try #require(broker.only).problem
    }

    @Test(
        "a lock whose template only selects a value is discovered without a problem",
        arguments: [
            "{{ value }}", "{{value}}", "  {{  value  }}  ", "{{ value | default('') }}", "{{ value_json.state }}",
            "{{ value_json.a.b_2.c }}", "{{value_json.state|default('')}}", #"{{ value_json["lock state"] }}"#,
            "{{ value_json['lock.state'] | default('') }}",
        ])
    func read(template: String) throws { #expect(try problem(template) == nil) }

    @Test(
        "a lock with any other template needs a profile",
        arguments: [
            "", "value", "{{ }}", "{{ value_json }}", "{{ value_json. }}", "{{ value_json.a. }}", "{{ value_json.a[0] }}",
            "{{ value_json['a']['b'] }}", "{{ value_json['a\"] }}", "{{ value_json[\"\"] }}", "{{ value | upper }}",
            "{{ value | default('x') }}", "{{ value | default('') | int }}", "{{ value }} {{ value }}",
            "{% if value %}{{ value }}{% endif %}", "{{ 'LOCKED' if value == '1' }}", "{{ states('lock.a') }}", "x{{ value }}",
            // Longer than the maximum length of a template.
            "{{ value " + String(repeating: " ", count: 1_024) + "}}",
        ])
    func refused(template: String) throws { #expect(try problem(template)?.hasPrefix("needs a profile") == true) }
}
