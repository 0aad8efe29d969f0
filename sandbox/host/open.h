/* openat2 with no symbolic link followed anywhere. -1 with errno. */
#ifndef WARDER_OPEN_H
#define WARDER_OPEN_H

int open_plain(const char *path, int flags);
int open_below(int directory, const char *path, int flags);
/* The descriptor of the parent of a relative path beneath `root`, on the same mount, and the last name. -1 with errno, EXDEV behind another mount. */
int open_parent(int root, const char *path, const char **name);
/* As many open files as this process may have. */
void allow_many_files(void);

#endif
