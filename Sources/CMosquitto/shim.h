#include <mosquitto.h>
#include <mqtt_protocol.h>
// With it `MQTTConnection` wakes its thread; Swift's module Glibc lacks it.
#include <sys/eventfd.h>
