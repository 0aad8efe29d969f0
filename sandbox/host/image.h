#ifndef WARDER_IMAGE_H
#define WARDER_IMAGE_H

#include <stdbool.h>

/* Mounts a file with an ext4 file system, through a loop device. */
bool mount_image(int file, int target);

#endif
