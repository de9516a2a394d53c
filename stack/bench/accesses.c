// SPDX-License-Identifier: Apache-2.0
/*
 * What an access to a register takes, by the guest's clock.
 *
 *   accesses N     reads the 1024 registers of the control page N times, prints the count and seconds
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}

int main(int count, char **words)
{
	static uint32_t page[1024];
	int rounds = count == 2 ? atoi(words[1]) : 0, file = open("/dev/datractl", O_RDONLY);
	double begun = seconds();

	if (rounds < 1 || file < 0) {
		fprintf(stderr, "usage: accesses N, where there is a card\n");
		return 2;
	}
	for (int i = 0; i < rounds; i++)
		if (pread(file, page, sizeof(page), 0) != sizeof(page)) {
			perror("accesses");
			return 1;
		}
	printf("%d %.6f\n", 1024 * rounds, seconds() - begun);
	return 0;
}
