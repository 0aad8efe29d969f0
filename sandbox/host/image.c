#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image.h"
#include "record.h"

/* From linux/loop.h, which musl does not have. */
struct loop_info {
  uint64_t device, inode, rdevice, offset, size_limit;
  uint32_t number, encrypt_type, encrypt_key_size, flags;
  uint8_t file_name[64], crypt_name[64], encrypt_key[32];
  uint64_t init[2];
};
struct loop_config {
  uint32_t file, block_size;
  struct loop_info info;
  uint64_t reserved[8];
};
#define LOOP_CONFIGURE 0x4C0A
#define LOOP_CTL_GET_FREE 0x4C82
#define LOOP_GET_STATUS64 0x4C05
#define LO_FLAGS_AUTOCLEAR 4

/*
 * The device that holds the file already, where another view of the mounts keeps it: attached to a second one, two file systems
 * would write into it, each without the other. The open descriptor keeps the device meanwhile. -1: none does.
 */
static int attached(int file, char path[32]) {
  struct stat status;
  struct dirent *entry;
  int device = -1;
  DIR *blocks = fstat(file, &status) == 0 ? opendir("/sys/block") : NULL;
  while (blocks != NULL && device < 0 && (entry = readdir(blocks)) != NULL) {
    if (strncmp(entry->d_name, "loop", 4) != 0 || strlen(entry->d_name) > 16) continue;
    snprintf(path, 32, "/dev/%.16s", entry->d_name);
    struct loop_info info = {0};
    device = open(path, O_RDWR | O_CLOEXEC);
    bool is_it = device >= 0 && ioctl(device, LOOP_GET_STATUS64, &info) == 0 && info.inode == status.st_ino && info.device == status.st_dev;
    if (device >= 0 && !is_it) close(device);
    if (!is_it) device = -1;
  }
  if (blocks != NULL) closedir(blocks);
  return device;
}

/* A loop device that vanishes with its last user. Another process may take the free one first, so it is tried again. */
static int attach(int file, char path[32]) {
  int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
  if (control < 0) {
    wrong("/dev/loop-control: %s", strerror(errno));
    return -1;
  }
  int device = -1;
  for (int tries = 0; tries < 20 && device < 0; tries++) {
    int number = ioctl(control, LOOP_CTL_GET_FREE);
    if (number < 0) break;
    snprintf(path, 32, "/dev/loop%d", number);
    device = open(path, O_RDWR | O_CLOEXEC);
    struct loop_config config = {.file = (uint32_t)file, .info = {.flags = LO_FLAGS_AUTOCLEAR}};
    if (device >= 0 && ioctl(device, LOOP_CONFIGURE, &config) == 0) break;
    int code = errno;
    if (device >= 0) close(device);
    device = -1;
    errno = code;
    if (code != EBUSY) break;
  }
  int code = errno;
  close(control);
  if (device < 0) wrong("no loop device (Linux 5.8 is needed): %s", strerror(code));
  return device;
}

bool mount_image(int file, int target) {
  char device_path[32], target_path[64];
  int device = attached(file, device_path);
  if (device < 0) device = attach(file, device_path);
  if (device < 0) return false;
  snprintf(target_path, sizeof target_path, "/proc/self/fd/%d", target);
  bool is_done = mount(device_path, target_path, "ext4", MS_NOSUID | MS_NODEV, "") == 0;
  if (!is_done) wrong("the image cannot be mounted: %s", strerror(errno));
  close(device);
  return is_done;
}
