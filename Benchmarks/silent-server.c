/* A server that accepts connections and never says a word: prints its port, runs until it is killed.

   cc -O2 -o silent-server silent-server.c */
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>

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
    /* The clients' sockets stay open until the process ends. */
    while (accept(listener, 0, 0) >= 0) continue;
    perror("accept");
    return 1;
}
