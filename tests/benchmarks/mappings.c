// A bot of `channels.py` that maps some of the files that all sandboxes share. The kernel keeps a tree
// of each file's mappings; a further one takes longer.
#include "channel.h"
#include <dirent.h>

enum { FILES = 100, MAPPINGS = 200 };
static char names[FILES][256];
static void *mapped[FILES][MAPPINGS];

static void prepare(void)
{
    DIR *folder = opendir("/usr/lib");
    struct dirent *entry;
    for (int found = 0; found < FILES && (entry = readdir(folder));)
        if (entry->d_type == DT_DIR && !strncmp(entry->d_name, "python", 6)) {
            chdir("/usr/lib");
            chdir(entry->d_name);
            folder = opendir(".");
        } else if (entry->d_type == DT_REG)
            strcpy(names[found++], entry->d_name);
}

static void leave(const char *bits, int count)
{
    for (int i = 0; i < count; i++) {
        int file = open(names[i], O_RDONLY);
        for (int k = 0; k < MAPPINGS; k++) {
            if (mapped[i][k])
                munmap(mapped[i][k], 4096);
            int access = k % 2 ? PROT_READ : PROT_NONE;
            mapped[i][k] = bits[i] == '1' ? mmap(0, 4096, access, MAP_SHARED, file, 0) : 0;
        }
        close(file);
    }
}

static void measure(long *figures, int count)
{
    for (int i = 0; i < count; i++) {
        int file = open(names[i], O_RDONLY);
        figures[i] = 1 << 30;
        for (int k = 0; k < 9; k++) {
            long start = ticks();
            munmap(mmap(0, 4096, PROT_READ, MAP_SHARED, file, 0), 4096);
            long duration = ticks() - start;
            figures[i] = duration < figures[i] ? duration : figures[i];
        }
        close(file);
    }
}
