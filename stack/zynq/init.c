/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first program of the Zynq guest, and a small one: it loads the modules and runs the programs
 * that /commands names, a line each, words between blanks:
 *
 *	load FILE          a kernel module
 *	unload NAME
 *	run PROGRAM WORD...
 *	late SECONDS PROGRAM WORD...   it is sent SIGINT after so many seconds
 *
 * Programs write to the second serial line, where after each command follows `-- STATUS COMMAND`;
 * the status is that of the program, 128 + signal, or an errno. The kernel's console is the first.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define LINE "/dev/ttyPS1"
#define MAX_WORDS 16

static int load(const char* file) {
  int fd = open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  int failed = syscall(SYS_finit_module, fd, "", 0) ? errno : 0;
  close(fd);
  return failed;
}

static int run(char** words, unsigned seconds) {
  pid_t child = fork();
  if (child == 0) {
    execv(words[0], words);
    _exit(127);
  }
  if (child < 0) return errno;
  if (seconds) {
    sleep(seconds);
    kill(child, SIGINT);
  }
  int status;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int execute(char** words, int count) {
  if (!strcmp(words[0], "load") && count == 2) return load(words[1]);
  if (!strcmp(words[0], "unload") && count == 2)
    return syscall(SYS_delete_module, words[1], O_NONBLOCK) ? errno : 0;
  if (!strcmp(words[0], "run") && count > 1) return run(words + 1, 0);
  if (!strcmp(words[0], "late") && count > 2) return run(words + 2, (unsigned)atoi(words[1]));
  return EINVAL;
}

/* Programs' words arrive as they are written. */
static void open_line(void) {
  int fd = open(LINE, O_RDWR | O_NOCTTY);
  struct termios raw;
  if (fd < 0) return;
  tcgetattr(fd, &raw);
  cfmakeraw(&raw);
  tcsetattr(fd, TCSANOW, &raw);
  for (int standard = 0; standard < 3; ++standard) dup2(fd, standard);
  if (fd > 2) close(fd);
}

int main(void) {
  mkdir("/proc", 0755);
  mkdir("/sys", 0755);
  mkdir("/dev", 0755);
  mount("proc", "/proc", "proc", 0, NULL);
  mount("sysfs", "/sys", "sysfs", 0, NULL);
  mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
  open_line();
  FILE* commands = fopen("/commands", "r");
  char line[512], command[512];
  while (commands && fgets(line, sizeof(line), commands)) {
    char* words[MAX_WORDS + 1] = {NULL};
    int count = 0;
    line[strcspn(line, "\n")] = 0;
    memcpy(command, line, sizeof(line));
    for (char *word, *save = NULL;
         count < MAX_WORDS && (word = strtok_r(save ? NULL : line, " ", &save));)
      words[count++] = word;
    if (!count) continue;
    int status = execute(words, count);
    printf("-- %d %s\n", status, command);
    fflush(stdout);
  }
  printf("-- end\n");
  fflush(stdout);
  tcdrain(1);
  reboot(RB_AUTOBOOT);
  return 1;
}
