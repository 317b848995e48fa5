import AdapterMQTT
import Testing

@Suite struct ValueTemplateTests {
    @Test(
        "the forms that need no template language are read",
        arguments: [
            ("{{ value }}", []), ("{{value}}", []), ("  {{  value  }}  ", []), ("{{ value | default('') }}", []),
            ("{{ value_json.state }}", ["state"]), ("{{ value_json.a.b_2.c }}", ["a", "b_2", "c"]),
            ("{{value_json.state|default('')}}", ["state"]), (#"{{ value_json["lock state"] }}"#, ["lock state"]),
            ("{{ value_json['lock.state'] | default('') }}", ["lock.state"]),
        ])
    func read(text: String, path: [String]) throws {
        #expect(try #require(ValueTemplate(text)).path == path)
    }

    @Test(
        "everything else is none of them",
        arguments: [
            "", "value", "{{ }}", "{{ value_json }}", "{{ value_json. }}", "{{ value_json.a. }}", "{{ value_json.1 }}",
            "{{ value_json.a[0] }}", "{{ value_json['a']['b'] }}", "{{ value_json['a\"] }}", "{{ value_json[\"\"] }}",
            "{{ value | upper }}", "{{ value | default('x') }}", "{{ value | default('') | int }}", "{{ value }} {{ value }}",
            "{% if value %}{{ value }}{% endif %}", "{{ 'LOCKED' if value == '1' }}", "{{ states('lock.a') }}", "x{{ value }}",
            "{{ value_json.ä }}", "{{ value }" + String(repeating: " ", count: 600) + "}",
        ])
    func refused(text: String) { #expect(ValueTemplate(text) == nil) }
}
