/* A haptic device for Thenar in C, over its local UDP protocol (docs/haptics.md). No library is needed.
 *
 *   cc -O2 -o haptic_udp haptic_udp.c -lm
 *   ./haptic_udp [port [milliseconds]]          meanwhile: thenar run trajectory --haptics udp
 *
 * Replace read_device() and write_device() by calls of your device's own library. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* As it goes over the line; little-endian, as nearly every machine is. */
struct pose {
    char magic[4]; /* THp1 */
    uint32_t sequence, handles, flags; /* flags: 1 velocities are measured, 2 there are torque motors, 4 torques on joints are wanted */
    float force, torque; /* largest that the device may exert, N and N m */
    double position[3], quaternion[4], velocity[3], spin[3]; /* m, x y z w, m/s, rad/s; right-handed, Y up */
};

struct wrench {
    char magic[4]; /* THw1 */
    uint32_t sequence, handles, flags; /* flags: 1 forces are on */
    double force[3], torque[3]; /* on the user, N and N m */
    /* a glove has sixteen of these, and behind them, where it asked for torques on joints: double joints[5][4], N m */
};

_Static_assert(sizeof(struct pose) == 128 && sizeof(struct wrench) == 64, "no holes between fields");

/* Yours: where the device is. This one is moved by a person who comes down, slower with what is felt, until that is three
 * newtons, and then strokes to and fro over what is there; who waits while nobody answers. */
static void read_device(const double force[3], int answered, struct pose *pose)
{
    static double speed, stroked;
    const double tick = 1e-3, wanted = 3.0, touching = force[1] > 1.0;

    speed = answered ? fmin(speed + 0.05 * tick, 0.05) : 0.0; /* 5 cm/s after a second */
    pose->velocity[1] = -speed * (1.0 - force[1] / wanted);
    pose->position[1] += pose->velocity[1] * tick;
    stroked += touching * tick;
    pose->position[0] = 0.01 * (1.0 - cos(2.0 * stroked));
    pose->velocity[0] = touching * 0.02 * sin(2.0 * stroked);
}

/* Yours: the motors. */
static double largest;

static void write_device(const double force[3])
{
    double size = sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]);
    if (size > largest)
        largest = size;
}

int main(int argc, char **argv)
{
    int port = argc > 1 ? atoi(argv[1]) : 9880;
    int ticks = argc > 2 ? atoi(argv[2]) : 10000;
    int line = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in to = { 0 };
    struct timespec next;
    struct pose pose = { "", 0, 1, 1, 8.0f, 0.0f, { 0 }, { 0, 0, 0, 1 }, { 0 }, { 0 } };
    struct wrench wrench = { 0 };
    const double rest[3] = { 0 };
    int answers = 0, silent = 0;

    to.sin_family = AF_INET;
    to.sin_port = htons((uint16_t)port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (line < 0 || connect(line, (struct sockaddr *)&to, sizeof to) != 0) {
        perror("socket");
        return 1;
    }
    memcpy(pose.magic, "THp1", 4);
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (int tick = 0; tick < ticks; tick++) {
        next.tv_nsec += 1000000;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        pose.sequence++;
        read_device(wrench.force, silent <= 20 && answers > 0, &pose);
        send(line, &pose, sizeof pose, 0);
        silent++;
        while (recv(line, &wrench, sizeof wrench, MSG_DONTWAIT) == (ssize_t)sizeof wrench)
            if (memcmp(wrench.magic, "THw1", 4) == 0 && wrench.handles == 1) {
                answers++;
                silent = 0;
            }
        /* the one duty: motors rest when nobody has answered for 20 ms */
        write_device(silent > 20 ? rest : wrench.force);
        if (silent > 20)
            memset(&wrench, 0, sizeof wrench);
    }
    write_device(rest);
    close(line);
    printf("%d poses sent, %d answered, largest force %.3f N\n", ticks, answers, largest);
    return 0;
}
