/* A server that accepts connections and never responds: prints its port, and runs until it is killed.

   cc -O2 -o silent-server silent-server.c */
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 4096) ||
        getsockname(listener, (struct sockaddr *)&address, &length)) {
        perror("silent-server");
        return 1;
    }
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    int set = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
    epoll_ctl(set, EPOLL_CTL_ADD, listener, &event);
    while (epoll_wait(set, &event, 1, -1) >= 0) {
        char bytes[4096];
        if (event.data.fd != listener) {
            if (recv(event.data.fd, bytes, sizeof bytes, 0) <= 0) close(event.data.fd);
            continue;
        }
        event.data.fd = accept(listener, 0, 0);
        if (event.data.fd >= 0) epoll_ctl(set, EPOLL_CTL_ADD, event.data.fd, &event);
    }
    perror("epoll_wait");
    return 1;
}
