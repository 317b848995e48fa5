// Round trips of command, device and report through a broker with only libmosquitto, as a reference for the measurements of the
// Swift program.
//
//     benchmark-mqtt-bare device PORT                 responds to commands until it is stopped
//     benchmark-mqtt-bare gateway PORT LANES COUNT    prints: round trips a second, then p50 and p99 in nanoseconds
#include <inttypes.h>
#include <mosquitto.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *command = "UNLOCK";
static const char *report = "{\"state\":\"UNLOCKED\"}";

static int in_flight, count, sent, done;
static uint64_t *sent_at, *durations;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void publish(struct mosquitto *client, int number, const char *level, const char *payload) {
    char topic[64];
    snprintf(topic, sizeof topic, "bench/%d/%s", number, level);
    mosquitto_publish(client, NULL, topic, (int)strlen(payload), payload, 0, false);
}

static void send_command(struct mosquitto *client, int number) {
    if (sent == count) return;
    sent++;
    sent_at[number] = now();
    publish(client, number, "set", command);
}

static void device_connected(struct mosquitto *client, void *context, int code) {
    if (code == 0) mosquitto_subscribe(client, NULL, "bench/+/set", 0);
}

static void device_subscribed(struct mosquitto *client, void *context, int number, int filters, const int *granted) {
    mosquitto_publish(client, NULL, "bench/ready", 1, "1", 0, true);
}

static void device_received(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
    publish(client, atoi(message->topic + strlen("bench/")), "state", report);
}

static void gateway_connected(struct mosquitto *client, void *context, int code) {
    if (code != 0) return;
    mosquitto_subscribe(client, NULL, "bench/+/state", 0);
    mosquitto_subscribe(client, NULL, "bench/ready", 0);
}

static void gateway_received(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
    if (strcmp(message->topic, "bench/ready") == 0) {
        for (int number = 0; number < in_flight; number++) send_command(client, number);
        return;
    }
    int number = atoi(message->topic + strlen("bench/"));
    if (number < 0 || number >= in_flight || done == count) return;
    durations[done++] = now() - sent_at[number];
    send_command(client, number);
}

static int ascending(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

int main(int argc, char **argv) {
    bool is_device = argc > 2 && strcmp(argv[1], "device") == 0;
    if (argc < 3 || (!is_device && argc < 5)) return 64;
    mosquitto_lib_init();
    struct mosquitto *client = mosquitto_new(NULL, true, NULL);
    mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
    mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_connect_callback_set(client, is_device ? device_connected : gateway_connected);
    mosquitto_message_callback_set(client, is_device ? device_received : gateway_received);
    if (is_device) mosquitto_subscribe_callback_set(client, device_subscribed);
    if (mosquitto_connect(client, "127.0.0.1", atoi(argv[2]), 60) != MOSQ_ERR_SUCCESS) return 1;
    if (is_device) return mosquitto_loop_forever(client, -1, 1) != MOSQ_ERR_SUCCESS;

    in_flight = atoi(argv[3]);
    count = atoi(argv[4]);
    sent_at = calloc((size_t)in_flight, sizeof *sent_at);
    durations = calloc((size_t)count, sizeof *durations);
    uint64_t begin = 0;
    while (done < count) {
        if (mosquitto_loop(client, 100, 1) != MOSQ_ERR_SUCCESS) return 1;
        if (begin == 0 && sent > 0) begin = sent_at[0];
    }
    double seconds = (double)(now() - begin) / 1e9;
    qsort(durations, (size_t)count, sizeof *durations, ascending);
    printf("%.0f %" PRIu64 " %" PRIu64 "\n", count / seconds, durations[count / 2], durations[(size_t)(count * 0.99)]);
    return 0;
}
